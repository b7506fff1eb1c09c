// promptfoo results, versions 3 and 4: one document (`-o out.json`), or one line per result
// (`-o out.jsonl`). Only the figures of a result are kept, so a file may have any size.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "formula/make_name.h"
#include "results/format.h"
#include "results/reading.h"

namespace vibe::results {

using base::Code;
using base::JsonValue;
using formula::kUndefined;

namespace {

constexpr double kFirstVersion = 3, kLastVersion = 4;

constexpr std::array<std::string_view, 24> kRowKeys{"success",
                                                    "failureReason",
                                                    "error",
                                                    "latencyMs",
                                                    "cost",
                                                    "testIdx",
                                                    "promptIdx",
                                                    "vars",
                                                    "description",
                                                    "provider/id",
                                                    "provider/label",
                                                    "prompt/label",
                                                    "response/cost",
                                                    "response/cached",
                                                    "response/latencyMs",
                                                    "response/error",
                                                    "response/tokenUsage/prompt",
                                                    "response/tokenUsage/completion",
                                                    "response/tokenUsage/total",
                                                    "tokenUsage/prompt",
                                                    "tokenUsage/completion",
                                                    "testCase/description",
                                                    "testCase/metadata",
                                                    "testCase/assert"};

std::string_view text_at(const JsonValue& row, std::string_view pointer) {
  const JsonValue* value = row.pointer(pointer);
  const std::string* text = value ? value->text() : nullptr;
  return text ? std::string_view(*text) : std::string_view();
}

std::optional<double> number_at(const JsonValue& row, std::string_view pointer) {
  const JsonValue* value = row.pointer(pointer);
  return value ? value->number() : std::nullopt;
}

bool is_there(const JsonValue* value) { return value && !value->is_null(); }

// `country France year 1990`, sorted by variable names, so that their order does not matter.
std::string joined(const JsonValue* vars) {
  const auto* members = vars ? vars->object() : nullptr;
  if (!members) return {};
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [key, value] : *members)
    if (!key.starts_with('_') && key != "sessionId")
      pairs.emplace_back(key, value.text() ? *value.text() : to_text(value));
  std::sort(pairs.begin(), pairs.end());
  std::string out;
  for (const auto& [key, value] : pairs) out += fmt::format("{} {} ", key, value);
  return out;
}

class PromptfooReader {
 public:
  PromptfooReader(std::string file, base::Diagnostics& out) : file_(std::move(file)), out_(out) {}

  void read_row(base::JsonStream& stream) {
    const std::uint64_t line = stream.line();
    ++count_;
    if (stream.next() != '{') {
      if (stream.skip())
        report(Code::bad_document, file_, line, fmt::format("result {} is not an object", count_),
               out_);
      return;
    }
    if (const auto row = take(stream, kRowKeys, file_, out_)) add(*row, line);
  }

  void finish(const Choice& choice, score::Samples& samples) {
    if (out_.failed() || rows_.empty()) return;
    const auto providers =
        choose(providers_.names, choice.provider, "--provider", "models", file_, out_);
    auto chosen = choice.prompt;
    if (const auto number = chosen ? base::parse_integer(*chosen) : std::nullopt;
        number && *number >= 1 && static_cast<std::size_t>(*number) <= prompts_.names.size())
      chosen = prompts_.names[static_cast<std::size_t>(*number) - 1];
    const auto prompts = choose(prompts_.names, chosen, "--prompt", "prompts", file_, out_);
    if (out_.failed()) return;
    std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
      return a.order != b.order ? a.order < b.order : a.place < b.place;
    });
    formula::NameMaker names;
    std::unordered_map<std::size_t, std::string> made;  // name of each test
    for (const auto& row : rows_) {
      auto& name = made[row.test];
      if (name.empty()) name = names.make(tests_[row.test].called, "test");
      if (!providers[row.provider] || !prompts[row.prompt]) continue;
      const std::uint32_t eval = samples.eval(name);
      for (const auto& tag : std::exchange(tests_[row.test].tags, {})) samples.tag(eval, tag);
      samples.add(eval, row.sample);
      if (row.error) samples.add_errors(1, *row.error);
    }
  }

 private:
  struct Row {
    std::size_t test, provider, prompt;
    std::pair<double, double> order;  // of the test, of the prompt
    score::Sample sample;
    std::optional<std::string> error;  // none: answered and judged
    std::size_t place = 0;             // in the file
  };
  struct Test {
    std::string called;
    std::vector<std::string> tags;
  };
  struct Names {  // each once, in order
    std::vector<std::string> names;
    std::unordered_map<std::string, std::size_t> numbers;
    std::size_t number(std::string_view name) {
      const auto [at, is_new] = numbers.try_emplace(std::string(name), names.size());
      if (is_new) names.emplace_back(name);
      return at->second;
    }
  };

  void add(const JsonValue& row, std::uint64_t line) {
    const JsonValue* success = row.find("success");
    const auto passed = success ? success->boolean() : std::nullopt;
    if (!passed)
      return report(Code::bad_document, file_, line,
                    fmt::format("result {}: `success` is {}", count_,
                                is_there(success) ? "neither true nor false" : "missing"),
                    out_);
    Row out{.test = test_of(row),
            .provider = providers_.number(provider_of(row)),
            .prompt = prompts_.number(text_at(row, "/prompt/label")),
            .order = {number_at(row, "/testIdx").value_or(static_cast<double>(count_)),
                      number_at(row, "/promptIdx").value_or(0)},
            .sample = {},
            .error = {},
            .place = rows_.size()};
    out.sample.passed = *passed;
    if (read_figures(row, out.sample)) {
      out.error = error_of(row.pointer("/response/error"));
      if (!out.error) out.error = error_of(row.find("error")).value_or("");
    }
    rows_.push_back(std::move(out));
  }

  static std::string provider_of(const JsonValue& row) {
    if (const JsonValue* provider = row.find("provider"); provider && provider->text())
      return *provider->text();
    const std::string_view label = text_at(row, "/provider/label");
    return std::string(label.empty() ? text_at(row, "/provider/id") : label);
  }

  // True if it ended in an error.
  static bool read_figures(const JsonValue& row, score::Sample& sample) {
    const JsonValue* response = row.find("response");
    // A sample that passed was answered, even if the result says nothing about the answer.
    const bool answered = is_there(response) ? !is_there(response->find("error")) : sample.passed;
    constexpr double kError = 2;  // as `failureReason`; a failed assertion has another value
    const auto reason = number_at(row, "/failureReason");
    const bool errored = reason ? *reason == kError : !answered;
    if (errored) sample.passed = false;

    // An answer from promptfoo's cache took no time, which says nothing about the model.
    const JsonValue* cached = row.pointer("/response/cached");
    const bool from_cache = cached && cached->boolean().value_or(false);
    auto latency = number_at(row, "/response/latencyMs");
    if (!latency && !from_cache) latency = number_at(row, "/latencyMs");
    if (latency && answered && !errored) sample.latency = figure(*latency / 1000);

    // A result states 0 for an unknown cost; a response omits it.
    sample.cost = figure(number_at(row, "/response/cost"));
    const double total = figure(number_at(row, "/cost"));
    if (std::isnan(sample.cost) && (total > 0 || !answered)) sample.cost = answered ? total : 0;

    const auto tokens = [&](std::string_view which) {
      auto count = number_at(row, fmt::format("/response/tokenUsage/{}", which));
      if (!count) count = number_at(row, fmt::format("/tokenUsage/{}", which));
      return figure(count);
    };
    const double prompt = tokens("prompt"), completion = tokens("completion");
    if (prompt + completion > 0) {  // all zero: not counted
      sample.prompt_tokens = prompt;
      sample.completion_tokens = completion;
    }
    return errored;
  }

  // The test of a result, recognised by its content, since promptfoo numbers repeats separately.
  std::size_t test_of(const JsonValue& row) {
    std::string_view description = text_at(row, "/testCase/description");
    if (description.empty()) description = text_at(row, "/description");
    const std::string vars = joined(row.find("vars"));
    const JsonValue* asserts = row.pointer("/testCase/assert");
    const auto what = std::hash<std::string>{}(
        fmt::format("{}\n{}\n{}", description, vars, asserts ? to_text(*asserts) : ""));
    const auto [at, is_new] = test_numbers_.try_emplace(what, tests_.size());
    if (is_new)
      tests_.push_back(
          {base::shorten(description.empty() ? std::string_view(vars) : description, 200),
           tags_of(row.pointer("/testCase/metadata"))});
    return at->second;
  }

  std::string file_;
  base::Diagnostics& out_;
  std::size_t count_ = 0;
  std::vector<Row> rows_;
  std::vector<Test> tests_;
  std::unordered_map<std::size_t, std::size_t> test_numbers_;
  Names providers_, prompts_;
};

void check_version(base::JsonStream& stream, const std::string& file, base::Diagnostics& out) {
  std::string text;
  const std::uint64_t line = stream.line();
  if (!stream.copy(text, kMostKept)) return;
  const auto version = base::parse_double(text);
  if (!version || *version < kFirstVersion || *version > kLastVersion)
    report(Code::bad_document, file, line,
           fmt::format("the promptfoo results have version {}; vibe reads {} to {}",
                       base::shorten(base::printable(text), 20), kFirstVersion, kLastVersion),
           out, "export them with a newer version of promptfoo: `promptfoo export eval ID`");
}

}  // namespace

bool is_promptfoo(const Glance& glance) {
  return glance.has("results", '{') && !glance.has("passed");
}

bool is_promptfoo_lines(const Glance& glance) {
  int seen = 0;
  for (const std::string_view name :
       {"success", "gradingResult", "namedScores", "latencyMs", "testCase", "promptIdx", "vars"})
    seen += glance.has(name) ? 1 : 0;
  return seen >= 3 && !glance.has("passed");
}

void read_promptfoo(base::Input input, const Choice& choice, score::Samples& samples,
                    base::Diagnostics& out) {
  PromptfooReader reader(input.name(), out);
  base::JsonStream stream(input);
  bool found = false;
  stream.object([&](std::string_view outer) {
    if (outer != "results") return;
    stream.object([&](std::string_view key) {
      if (key == "version") check_version(stream, input.name(), out);
      if (key == "results" && stream.next() == '[') {
        found = true;
        stream.array([&] { reader.read_row(stream); });
      }
    });
  });
  report(stream, input.name(), out);
  if (!found && !out.failed())
    report(Code::bad_document, input.name(), 1,
           "the document has no `results.results` list, which holds promptfoo's results", out);
  reader.finish(choice, samples);
}

void read_promptfoo_lines(base::Input input, const Choice& choice, score::Samples& samples,
                          base::Diagnostics& out) {
  PromptfooReader reader(input.name(), out);
  base::JsonStream stream(input);
  while (stream.next() != 0 && !out.failed()) reader.read_row(stream);
  report(stream, input.name(), out);
  reader.finish(choice, samples);
}

}  // namespace vibe::results
