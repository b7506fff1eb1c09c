#include "check/judge.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "check/judging.h"
#include "tokens/tokens.h"

namespace vibe::check {

namespace {

constexpr std::size_t kMostInQuotes = 100;  // code points

Schemas::Compiled compile_schema(const std::string& text) {
  const auto document = base::read_json_document(text);
  if (!document) return tl::unexpected(document.error().message);
  auto compiled = Schema::compile(document->root, {});
  if (compiled) return *std::move(compiled);
  const SchemaProblem& first = compiled.error().front();
  return tl::unexpected(first.pointer.empty()
                            ? first.message
                            : fmt::format("{}: {}", base::printable(first.pointer), first.message));
}

}  // namespace

const Regexes::Compiled& Regexes::find(const std::string& pattern, Regex::Mode mode) {
  auto& known = known_[static_cast<std::size_t>(mode)];
  const auto found = known.find(pattern);
  if (found != known.end()) return found->second;
  if (known.size() >= kMost) known.clear();
  return known.emplace(pattern, Regex::compile(pattern, mode)).first->second;
}

const Schemas::Compiled& Schemas::find(const std::string& text) {
  const auto found = known_.find(text);
  if (found != known_.end()) return found->second;
  if (known_.size() >= kMost) known_.clear();
  return known_.emplace(text, compile_schema(text)).first->second;
}

const FoldedText& Judging::folded() {
  if (!folded_) folded_.emplace(response_.text);
  return *folded_;
}

std::string_view Judging::valid_text() {
  if (!repaired_)
    repaired_ = base::first_invalid(response_.text) ? base::replace_invalid(response_.text) : "";
  return repaired_->empty() ? response_.text : *repaired_;
}

std::size_t Judging::tokens() {
  if (!tokens_) tokens_ = tokens::count(response_.text);
  return *tokens_;
}

const tl::expected<base::JsonDocument, std::string>& Judging::json() {
  if (!json_) json_ = json_of_response(response_.text);
  return *json_;
}

Finding judge_check(const Check& check, Judging& judging) {
  const CheckKind& kind = kind_of(check.type);
  assert(kind.judge);
  Finding out = kind.judge(check, judging);
  out.type = kind.name;
  return out;
}

Verdict pass_if(bool holds) { return holds ? Verdict::pass : Verdict::fail; }

Finding finding(Verdict verdict, std::string message) {
  Finding out;
  out.verdict = verdict;
  out.message = std::move(message);
  return out;
}

std::string share(double value, double limit) {
  constexpr int kMostDecimals = 6;
  int decimals = 2;
  while (decimals < kMostDecimals && value < limit &&
         fmt::format("{:.{}f}", value, decimals) == fmt::format("{:.{}f}", limit, decimals))
    ++decimals;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string Judging::in_quotes(std::string_view text) const {
  return fmt::format("\"{}\"", base::printable(base::shorten(masked(text), kMostInQuotes)));
}

struct Judge::State {
  Regexes regexes;
  Schemas schemas;
};

Judge::Judge() : state_(std::make_unique<State>()) {}
Judge::~Judge() = default;
Judge::Judge(Judge&&) noexcept = default;
Judge& Judge::operator=(Judge&&) noexcept = default;

std::vector<Finding> Judge::judge(std::span<const Check> checks, const Response& response,
                                  const Evidences& evidences, const Mask& mask) {
  Judging judging(response, evidences, state_->regexes, state_->schemas, mask);
  std::vector<Finding> out;
  out.reserve(checks.size());
  for (const Check& check : checks) out.push_back(judge_check(check, judging));
  return out;
}

Verdict overall(std::span<const Finding> findings) {
  const auto any = [&](Verdict verdict) {
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Finding& one) { return one.verdict == verdict; });
  };
  if (any(Verdict::error)) return Verdict::error;
  return pass_if(!any(Verdict::fail));
}

}  // namespace vibe::check
