// Input: a value that a formula needs from outside: a statistic of a column over some of the
// samples, which score/ computes, or a figure from a table, which fitness/ measures. Every variable
// and every aggregate in a formula is an input. An input without a value is undefined, which is
// NaN.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace vibe::formula {

inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

enum class Statistic : std::uint8_t {
  mean,
  sum,
  median,
  stddev,
  percentile,
  count,
  min,
  max,
  percent,
  pass_at,
  pass_all,
};
// Of the answers to one eval or case; then the mean over these.
constexpr bool is_by_question(Statistic statistic) {
  return statistic == Statistic::pass_at || statistic == Statistic::pass_all;
}
enum class Column : std::uint8_t {
  passed,
  latency,
  cost,
  prompt_tokens,
  completion_tokens,
  total_tokens,
  output_quality,
  structure_score,
  fitness
};
enum class Unit : std::uint8_t { none, dollars, seconds };

struct ColumnRow {
  std::string_view name;
  Column column;
  double most;                  // maximum for a sample; the minimum is 0
  std::string_view none_known;  // why there is no value if no sample has one
  std::string_view doc;
};

inline constexpr double kAnyAmount = std::numeric_limits<double>::infinity();

inline constexpr std::array kColumns{
    ColumnRow{"passed", Column::passed, 1, "no samples", "1 if the sample passed, 0 otherwise"},
    ColumnRow{"latency", Column::latency, kAnyAmount, "no response",
              "seconds, for samples that got a response"},
    ColumnRow{"cost", Column::cost, kAnyAmount, "unknown cost", "US dollars"},
    ColumnRow{"prompt_tokens", Column::prompt_tokens, kAnyAmount, "unknown tokens",
              "number of prompt tokens"},
    ColumnRow{"completion_tokens", Column::completion_tokens, kAnyAmount, "unknown tokens",
              "number of answer tokens"},
    ColumnRow{"total_tokens", Column::total_tokens, kAnyAmount, "unknown tokens",
              "number of prompt and answer tokens together"},
    ColumnRow{"output_quality", Column::output_quality, 1, "no response",
              "0 to 1: how complete and sound the answer looks, judged by its form and wording"},
    ColumnRow{"structure_score", Column::structure_score, 1, "no response",
              "0 to 1: headings, lists and code blocks in the answer"},
    ColumnRow{"fitness", Column::fitness, 100, "no execution log",
              "0 to 100: the fitness of the execution, for samples whose program wrote a log"},
};
static_assert([] {  // row_of() finds rows by index
  for (std::size_t i = 0; i < kColumns.size(); ++i)
    if (static_cast<std::size_t>(kColumns[i].column) != i) return false;
  return true;
}());

constexpr const ColumnRow& row_of(Column column) {
  return kColumns[static_cast<std::size_t>(column)];
}

std::optional<Column> find_column(std::string_view name);

// Which samples count.
struct Selector {
  enum class Kind : std::uint8_t { all, eval, glob, tag };
  Kind kind = Kind::all;
  std::string text;  // the eval's name, the glob, or the tag
  bool operator==(const Selector&) const = default;
};

// Whether the samples of an eval count; `eval` is empty for an eval without a name.
bool selects(const Selector& selector, std::string_view eval, std::span<const std::string> tags);

// A value that is measured elsewhere, and may be undefined.
struct Figure {
  std::string_view name;
  double least, most;  // its range
  std::string_view doc;
};

struct Input {
  std::string
      name;  // as a formula writes it, in one canonical spelling: `success_pct`, `mean(cost, "a*")`
  Statistic statistic = Statistic::mean;
  Column column = Column::passed;
  // For Statistic::percentile, 0–100; for pass_at and pass_all, the number of answers.
  double constant = 0;
  Selector over = {};
  const Figure* figure = nullptr;  // set for a formula over figures; then nothing else matters

  Unit unit() const;
};

// The inputs of a program, without duplicates.
class Inputs {
 public:
  std::uint32_t add(Input input);  // its index
  std::vector<Input> take() && { return std::move(all_); }

 private:
  std::vector<Input> all_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
};

}  // namespace vibe::formula
