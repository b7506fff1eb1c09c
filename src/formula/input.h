// Input: one figure that a formula needs from outside: a statistic of a column over
// some of the samples. Every variable and every aggregate of a formula is one; score/
// computes it. An input without a value is undefined, which is NaN.
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
  percent
};
enum class Column : std::uint8_t {
  passed,
  latency,
  cost,
  prompt_tokens,
  completion_tokens,
  total_tokens
};
enum class Unit : std::uint8_t { none, dollars, seconds };

struct ColumnRow {
  std::string_view name;
  Column column;
  std::string_view doc;
};

inline constexpr std::array kColumns{
    ColumnRow{"passed", Column::passed, "1 for a pass, 0 otherwise"},
    ColumnRow{"latency", Column::latency, "seconds, of the samples that got a response"},
    ColumnRow{"cost", Column::cost, "US dollars"},
    ColumnRow{"prompt_tokens", Column::prompt_tokens, "tokens of the prompt"},
    ColumnRow{"completion_tokens", Column::completion_tokens, "tokens of the answer"},
    ColumnRow{"total_tokens", Column::total_tokens, "tokens of both together"},
};

std::optional<Column> find_column(std::string_view name);

// Which samples count.
struct Selector {
  enum class Kind : std::uint8_t { all, eval, glob, tag };
  Kind kind = Kind::all;
  std::string text;  // the eval's name, the glob, or the tag
  bool operator==(const Selector&) const = default;
};

// Whether the samples of an eval count; `eval` is empty for one without a name.
bool selects(const Selector& selector, std::string_view eval, std::span<const std::string> tags);

struct Input {
  std::string
      name;  // as a formula writes it, one spelling a figure: `success_pct`, `mean(cost, "a*")`
  Statistic statistic = Statistic::mean;
  Column column = Column::passed;
  double percentile = 0;  // 0–100, of Statistic::percentile
  Selector over = {};

  Unit unit() const;
};

// The inputs of a program, each figure once.
class Inputs {
 public:
  std::uint32_t add(Input input);  // its number
  std::vector<Input> take() && { return std::move(all_); }

 private:
  std::vector<Input> all_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
};

}  // namespace vibe::formula
