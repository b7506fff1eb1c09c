// ReportedRun: the data behind the report files of a run (JUnit, Markdown, HTML), and the words
// that they share. Pure; refers to data that the caller owns.
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

// The outcome of a run, in order of severity; decides the exit code.
enum class Outcome : std::uint8_t { passed, gate_failed, incomplete };

struct Judgement {
  Outcome outcome;
  std::string text;  // `gate passed`, `gate failed: score 12.00 is below 50`, `cancelled: …`
};
Judgement judge(const ReportedRun& reported);

// A result with what its neighbours show about it.
struct Sample {
  const score::Result& result;
  std::size_t repeats = 1;  // of its eval and case

  std::string name() const;  // `returns (repeat 2)`
};
std::vector<Sample> samples(std::span<const score::Result> results);

// The turns of a result: those of its conversation, or the only one.
std::span<const score::Turn> turns_of(const score::Result& result);

// `- match: Pattern "*4*" not found in response`, one line per check and nested check.
std::string findings_text(std::span<const score::Finding> findings, std::size_t indent = 0);

// `match`, `regex`: the kinds of the checks that did not pass, each once.
std::vector<std::string_view> failed_checks(const score::Result& result);

// A metric of a run; none: the run has no such metric, or it has no value.
std::optional<double> metric_of(const score::Run& run, std::string_view name);

// A figure by which runs are compared.
struct ComparedFigure {
  std::string_view title;
  bool more_is_better;
  bool is_on_pages;  // in HTML; the terminal shows all
  std::optional<double> (*value)(const score::Run&);
  std::string (*show)(double);

  // Whether the run may be compared: an incomplete run has an unfair advantage.
  bool counts(const score::Run& run) const;
  // Whether the other run, if it counts, has no better value than this one, which counts.
  bool is_as_good(const score::Run& run, const score::Run& other) const;
};
std::span<const ComparedFigure> compared_figures();

std::string show_success(const score::Run& run);                 // `87.5%`, `N/A`
std::string show_seconds(const std::optional<double>& seconds);  // `0.61 s`, `N/A`
std::string show_dollars(const std::optional<double>& dollars);  // `$0.0177`, `N/A`

}  // namespace vibe::report
