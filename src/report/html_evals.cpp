#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/html_parts.h"
#include "report/markup.h"

namespace vibe::report {

namespace {

// `Judge openai/gpt-4o: 2 of 3 answers agree, $0.0002`
std::string judged_text(const score::Judged& judged) {
  return fmt::format("Judge {}: {} of {} answers agree, {}", base::printable(judged.model),
                     judged.agreed, judged.asked, show_dollars(judged.cost));
}

constexpr std::size_t kMostShown = 10000;     // samples of a run
constexpr std::size_t kMostOpenSamples = 10;  // open at first
constexpr std::size_t kTextBudget = 8u << 20;
constexpr std::size_t kLeastText = 300, kMostText = 20000;  // code points
constexpr std::size_t kMostCalls = 50, kMostMessage = 1000;

// Each sample has two or three texts.
std::size_t text_limit(std::size_t results) {
  return std::clamp(kTextBudget / std::max<std::size_t>(3 * results, 1), kLeastText, kMostText);
}

Badge check_badge(score::Verdict verdict) {
  switch (verdict) {
    case score::Verdict::pass: return {"passed", "passed"};
    case score::Verdict::fail: return {"failed", "failed"};
    case score::Verdict::error: return {"error", "could not tell"};
  }
  std::abort();
}

class Evals {
 public:
  Evals(int level, std::size_t limit) : level_(level), limit_(limit) {}

  void add(const Sample& sample, bool open) {
    const auto& result = sample.result;
    const auto [style, word] = badge_of(result.status);
    out_ += fmt::format(
        "<details class=\"eval {}\"{}>\n<summary>{}<h{} class=\"name\"><bdi>{}</bdi></h{}>"
        "<span class=\"figs\">{}<span>{}</span><span>{}</span></span></summary>\n"
        "<div class=\"body\">\n",
        style, open ? " open" : "", badge(style, word), level_,
        escaped(base::shorten(sample.name(), kMostName)), level_,
        result.turns.size() > 1
            ? fmt::format("<span>turn {} of {}</span>", result.turn, result.turns.size())
            : "",
        show_seconds(result.latency), show_dollars(result.cost));
    const auto turns = turns_of(result);
    if (turns.size() == 1) {
      add_turn(turns.front(), level_ + 1);
    } else {
      for (std::size_t i = 0; i < turns.size(); ++i) {
        const auto [turn_style, turn_word] = badge_of(turns[i].status);
        out_ += fmt::format("<div class=\"turn\">\n<h{0}>Turn {1} of {2} {3}</h{0}>\n", level_ + 1,
                            i + 1, turns.size(), badge(turn_style, turn_word));
        add_turn(turns[i], level_ + 2);
        out_ += "</div>\n";
      }
    }
    add_figures(result);
    out_ += "</div>\n</details>\n";
  }

  std::string take() { return std::move(out_); }

 private:
  void add_text(std::string_view title, std::string_view text, int level) {
    const auto part = clip(text, limit_);
    const std::string length =
        part.is_whole ? ""
                      : fmt::format(" <span class=\"len\">the first {} of {} characters</span>",
                                    grouped(limit_), grouped(part.length));
    out_ += fmt::format("<h{0}>{1}{2}</h{0}>\n", level, title, length);
    out_ += text.empty() ? "<p class=\"none\">empty</p>\n" : block(part.text);
  }

  // The line break after the tag is not part of the text.
  static std::string block(std::string_view text) {
    return fmt::format("<pre dir=\"auto\">\n{}</pre>\n", escaped(text));
  }

  void add_turn(const score::Turn& turn, int level) {
    if (!turn.error.empty()) {
      out_ += fmt::format("<h{0}>Error</h{0}>\n", level);
      out_ +=
          fmt::format("<pre dir=\"auto\">\n{}</pre>\n", prose(clip(turn.error, kMostMessage).text));
    }
    if (!turn.checks.empty()) {
      out_ += fmt::format("<h{0}>Checks</h{0}>\n", level);
      add_findings(turn.checks, true);
    }
    add_text("Prompt", turn.prompt, level);
    if (!turn.thinking.empty()) add_text("Thinking", turn.thinking, level);
    if (!turn.tool_calls.empty()) add_calls(turn.tool_calls, level);
    add_text("Answer", turn.response, level);
  }

  void add_findings(std::span<const score::Finding> findings, bool top) {
    out_ += top ? "<ul class=\"checks\">\n" : "\n<ul>\n";
    for (const auto& finding : findings) {
      const auto [style, word] = check_badge(finding.verdict);
      const auto message = clip(finding.message, kMostMessage);
      out_ += fmt::format(
          "<li class=\"{}\"><span class=\"kind\">{}</span> <span class=\"word\">{}</span> "
          "<bdi>{}{}</bdi>",
          style, escaped(finding.type), word, prose(message.text), message.is_whole ? "" : "…");
      if (finding.judged)
        out_ += fmt::format("<p class=\"judge\"><bdi>{}</bdi></p>",
                            escaped(judged_text(*finding.judged)));
      if (!finding.children.empty()) add_findings(finding.children, false);
      out_ += "</li>\n";
    }
    out_ += "</ul>\n";
  }

  void add_calls(std::span<const score::ToolCall> calls, int level) {
    out_ += fmt::format("<h{0}>Tool calls</h{0}>\n<ol class=\"calls\">\n", level);
    for (const auto& call : calls.first(std::min(calls.size(), kMostCalls))) {
      out_ += fmt::format("<li><code>{}</code>", escaped(clip(call.name, kMostMessage).text));
      add_part("arguments", call.arguments);
      if (call.result)
        add_part(call.failed ? "result: failed" : "result", *call.result);
      else
        out_ += "<span class=\"label\">it was not called</span>";
      out_ += "</li>\n";
    }
    out_ += "</ol>\n";
    if (calls.size() > kMostCalls)
      out_ +=
          fmt::format("<p class=\"none\">{} more calls</p>\n", grouped(calls.size() - kMostCalls));
  }

  void add_part(std::string_view label, std::string_view text) {
    const auto part = clip(text, std::min(limit_, kMostMessage));
    out_ += fmt::format(
        "<span class=\"label\">{}{}</span>{}", label,
        part.is_whole ? ""
                      : fmt::format(", the first {} of {} characters",
                                    grouped(std::min(limit_, kMostMessage)), grouped(part.length)),
        text.empty() ? "<p class=\"none\">empty</p>" : block(part.text));
  }

  void add_figures(const score::Result& result) {
    out_ += "<dl class=\"small\">\n";
    const auto add = [&](std::string_view name, std::string_view value) {
      out_ += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, prose(value));
    };
    if (result.prompt_tokens || result.completion_tokens)
      add("Tokens", fmt::format("{} prompt, {} completion", tokens(result.prompt_tokens),
                                tokens(result.completion_tokens)));
    if (result.thinking_tokens && *result.thinking_tokens > 0)
      add("Thinking", fmt::format("{} tokens", *result.thinking_tokens));
    if (result.input_cost && result.output_cost)
      add("Cost", fmt::format("{} in, {} out", show_dollars(result.input_cost),
                              show_dollars(result.output_cost)));
    if (result.judge_cost != 0.0) add("Judges", show_dollars(result.judge_cost));
    if (result.tries > 1) add("Tries", std::to_string(result.tries));
    if (!result.stop_reason.empty()) add("Ended by", clip(result.stop_reason, 100).text);
    if (result.from_cache) add("Answer", "from the cache");
    if (result.output_quality) add("Output quality", fmt::format("{:.2f}", *result.output_quality));
    if (result.structure_score) add("Structure", fmt::format("{:.2f}", *result.structure_score));
    if (result.fitness) add("Fitness", fmt::format("{:.2f}", *result.fitness));
    if (!result.fitness_error.empty())
      add("Fitness", fmt::format("N/A ({})", clip(result.fitness_error, kMostMessage).text));
    out_ += "</dl>\n";
  }

  static std::string tokens(const std::optional<std::int64_t>& value) {
    return value ? std::to_string(*value) : "N/A";
  }

  std::string out_;
  int level_;
  std::size_t limit_;
};

std::string choice(std::size_t number, std::string_view style, std::string_view text,
                   std::size_t count, bool checked) {
  return fmt::format(
      "<label><input type=\"radio\" name=\"show-{}\" class=\"{}\"{}><span>{} {}</span></label>\n",
      number, style, checked ? " checked" : "", text, grouped(count));
}

}  // namespace

Badge badge_of(score::ResultStatus status) {
  switch (status) {
    case score::ResultStatus::passed: return {"passed", "Passed"};
    case score::ResultStatus::failed: return {"failed", "Failed"};
    case score::ResultStatus::error: return {"error", "Error"};
  }
  std::abort();
}

std::string badge(std::string_view style, std::string_view word) {
  return fmt::format("<span class=\"badge {}\">{}</span>", style, escaped(word));
}

std::string eval_section(const ReportedRun& reported, std::size_t number, int level,
                         std::size_t all_results) {
  if (reported.results.empty()) return "<p class=\"none\">There are no results</p>\n";
  const auto all = samples(reported.results);
  const auto others = static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [](const Sample& one) { return !one.result.passed(); }));
  std::string out = "<fieldset class=\"show\">\n<legend>Show</legend>\n";
  out += choice(number, "only-all", "All", all.size(), true);
  out += choice(number, "only-others", "Not passed", others, false);
  out += choice(number, "only-passed", "Passed", all.size() - others, false);
  out += "</fieldset>\n";

  // If not all can be shown, samples that did not pass come first.
  const std::size_t shown_others = std::min(others, kMostShown);
  const std::size_t shown_passed = std::min(all.size() - others, kMostShown - shown_others);
  Evals evals(level, text_limit(all_results));
  std::size_t others_left = shown_others, passed_left = shown_passed;
  for (const auto& sample : all) {
    std::size_t& left = sample.result.passed() ? passed_left : others_left;
    if (left == 0) continue;
    --left;
    evals.add(sample, !sample.result.passed() && others <= kMostOpenSamples);
  }
  if (shown_others + shown_passed < all.size())
    out += fmt::format(
        "<p class=\"meta\">{} of {} samples are shown, those that did not pass first.</p>\n",
        grouped(shown_others + shown_passed), grouped(all.size()));
  constexpr std::size_t kMany = 200;  // browsers then lay out only the visible part
  return out + fmt::format("<div class=\"evals{}\">\n", all.size() > kMany ? " many" : "") +
         evals.take() + "</div>\n";
}

}  // namespace vibe::report
