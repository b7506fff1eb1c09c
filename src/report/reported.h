// ReportedRun: what the files about a run (JUnit, Markdown, HTML) are made from, and the words
// that they share. Pure; refers to what it was given.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "score/run.h"
#include "score/score.h"

namespace vibe::report {

struct ReportedRun {
  const score::Run& run;
  std::span<const score::Result> results;  // in the order of the plan
  score::Gates gates;
};

// Which outcome a run had, in the order of weight: what the exit code is made of.
enum class Outcome : std::uint8_t { passed, gate_failed, incomplete };

struct Judgement {
  Outcome outcome;
  std::string text;  // `gate passed`, `gate failed: score 12.00 is below 50`, `cancelled: …`
};
Judgement judge(const ReportedRun& reported);

// A result with what its neighbours say about it.
struct Sample {
  const score::Result& result;
  std::size_t repeats = 1;  // of its eval and case

  std::string name() const;  // `returns (repeat 2)`
};
std::vector<Sample> samples(std::span<const score::Result> results);

// The turns of a result: those of its conversation, or the only one.
std::span<const score::Turn> turns_of(const score::Result& result);

// `- match: Pattern "*4*" not found in response`, a line for each check and what it consists of.
std::string findings_text(std::span<const check::Finding> findings, std::size_t indent = 0);

// `match`, `regex`: the kinds of the checks that did not pass, each once.
std::vector<std::string_view> failed_checks(const score::Result& result);

// Of the metrics of a run; none: it has no such one, or no value for it.
std::optional<double> metric_of(const score::Run& run, std::string_view name);

std::string show_success(const score::Run& run);                 // `87.5%`, `N/A`
std::string show_seconds(const std::optional<double>& seconds);  // `0.61 s`, `N/A`
std::string show_dollars(const std::optional<double>& dollars);  // `$0.0177`, `N/A`

}  // namespace vibe::report
