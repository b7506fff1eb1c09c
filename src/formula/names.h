// Names: what the words in a formula can mean: the run-wide metrics, the evals and their figures,
// the metrics of the score section; or, in a fitness rubric, a table of figures and metrics. Says
// which names are allowed. Immutable after it is filled; then safe to read from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "formula/input.h"

namespace vibe::formula {

inline constexpr std::size_t kMaxNameBytes = 128;

struct RunMetric {
  std::string_view name;
  Statistic statistic;
  Column column;
  std::string_view doc;
  double percentile = 0;  // for Statistic::percentile
};

inline constexpr std::array kRunMetrics{
    RunMetric{"max_latency", Statistic::max, Column::latency,
              "longest latency of a sample, seconds"},
    RunMetric{"min_latency", Statistic::min, Column::latency,
              "shortest latency of a sample, seconds"},
    RunMetric{"avg_latency", Statistic::mean, Column::latency,
              "mean latency of the samples, seconds"},
    RunMetric{"total_latency", Statistic::sum, Column::latency, "sum of all latencies, seconds"},
    RunMetric{"max_cost", Statistic::max, Column::cost,
              "cost of the most expensive sample, US dollars"},
    RunMetric{"min_cost", Statistic::min, Column::cost, "cost of the cheapest sample, US dollars"},
    RunMetric{"avg_cost", Statistic::mean, Column::cost, "mean cost of a sample, US dollars"},
    RunMetric{"total_cost", Statistic::sum, Column::cost, "total cost of all samples, US dollars"},
    RunMetric{"success_pct", Statistic::percent, Column::passed,
              "percentage of samples that passed, 0 to 100"},
};

struct EvalName {
  std::string name;
  std::vector<std::string> tags;
};

class Names {
 public:
  enum class Meaning : std::uint8_t {
    run_metric,
    figure,
    eval,
    eval_latency,
    eval_cost,
    metric,
    keyword
  };
  struct Reference {
    Meaning meaning;
    std::uint32_t index;  // into kRunMetrics, the figures, evals(), the metrics or kKeywords
    bool operator==(const Reference&) const = default;
  };

  Names();
  // Figures replace run-wide metrics, evals and columns: there are no samples.
  explicit Names(std::span<const Figure> figures);
  bool has_samples() const { return figures_.empty(); }
  std::span<const Figure> figures() const { return figures_; }
  void add_eval(std::string name, std::vector<std::string> tags = {});
  void add_metric(std::string name);
  // Without a suite: a word that means nothing else is assumed to be an eval.
  void assume_unknown_words_are_evals() { assumes_ = true; }
  bool assumes() const { return assumes_; }

  const std::vector<EvalName>& evals() const { return evals_; }

  // What a bare word means. A run-wide metric hides an eval's derived name; a name that is awkward
  // to write has no bare word.
  std::optional<Reference> find(std::string_view word) const;
  // What `{name}` means: an eval or a metric, never a derived name.
  std::optional<Reference> find_braced(std::string_view name) const;
  // The input for a reference to anything but a metric or a keyword.
  Input input(Reference reference) const;

  bool any_eval_matches(const Selector& selector) const;
  std::vector<std::string> nearest_words(std::string_view word) const;
  std::size_t most_hyphens() const { return most_hyphens_; }  // in any known word

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  void add(std::string_view name, Reference reference);
  void add_keywords();

  std::span<const Figure> figures_;
  std::vector<EvalName> evals_;
  std::vector<std::string> metrics_;
  std::unordered_map<std::string, Reference, TextHash, std::equal_to<>> by_name_;
  std::size_t most_hyphens_ = 0;
  bool assumes_ = false;
};

// What each eval has in addition to its pass rate: `math_latency`, `{math}_cost`.
struct DerivedFigure {
  std::string_view suffix;
  Names::Meaning meaning;
  Column column;
};
inline constexpr std::array kDerivedFigures{
    DerivedFigure{"_latency", Names::Meaning::eval_latency, Column::latency},
    DerivedFigure{"_cost", Names::Meaning::eval_cost, Column::cost},
};

enum class Keyword : std::uint32_t { and_, or_, not_ };
inline constexpr std::array<std::string_view, 3> kKeywords{"and", "or", "not"};  // in that order
bool is_keyword(std::string_view word);

// A name that reads as arithmetic (`1-2`) or begins or ends with a hyphen: it must be written
// `{name}`.
bool is_awkward(std::string_view name);
bool is_number(std::string_view text);  // a complete numeric literal

// The name of an eval or metric that a suite declares.
struct Declared {
  std::string_view name;
  base::Where where;
  bool metric = false;
};

// Reports every name that is malformed, reserved, taken, or awkward to write. For formulas over
// figures, the names of figures are reserved instead of those of run-wide metrics.
void check_names(std::span<const Declared> declared, base::Diagnostics& out,
                 std::span<const Figure> figures = {});

}  // namespace vibe::formula
