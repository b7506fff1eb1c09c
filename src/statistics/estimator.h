// Estimator: the two intervals of one formula, of its value in a run or of the difference of its
// values in two runs; why there is none, and when not to trust them. For several formulas over the
// same answers, ask each what it wants, draw all at once, and give each its own. Pure.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "score/interval.h"
#include "statistics/interval.h"
#include "statistics/study.h"

namespace vibe::statistics {

// What all formulas of a run, or of a comparison, share.
struct Setting {
  const formula::Program& program;
  const Design& design;
  std::vector<const Answers*> sides;  // one, or the base and the candidate
  const Redraw& redraw;
  const Settings& settings;
};

// As many as the settings say, or as the number of samples allows.
std::size_t draw_count(const Settings& settings, std::size_t samples);

class Estimator {
 public:
  // `value`: the formula's, or the difference; none if undefined. `on_undefined` replaces undefined
  // values in draws.
  Estimator(const Setting& setting, std::size_t formula, std::optional<double> value,
            std::optional<double> on_undefined, bool keeps_values);

  std::vector<Wanted> wanted() const;
  void take(std::span<Drawn> drawn);  // as many as it wanted

  Estimate result(std::size_t draws) const;
  Details details() const;

  const Plan& plan() const { return plan_; }
  // Of the defined draws; none if there is no interval, or it was not drawn.
  std::optional<double> deviation(About about) const;
  // The interval at another level, from the same draws.
  std::optional<score::Interval> at_level(About about, double level) const;

 private:
  // One of the two intervals, as far as it is made.
  struct OneInterval {
    About about;
    std::optional<score::Interval> interval{};
    std::optional<Note> refusal{};  // a note without a text is not shown
    bool is_refused = false;
    Spread spread{};
    double tail = 0;
    std::vector<double> values{};  // of all draws, for tests
    std::vector<double> defined{};
    std::size_t drawn = 0;
  };

  const OneInterval& of(About about) const { return about == About::other_evals ? other_ : rerun_; }
  std::optional<Note> refusal_of_both(std::size_t samples) const;
  void refuse(const Note& note);
  Note extremes() const;
  std::optional<Note> other_refusal() const;
  std::optional<Note> rerun_refusal() const;
  std::optional<std::size_t> answers_needed() const;
  std::size_t count_single() const;
  bool has_two_answers() const;
  bool has_closed_form() const;
  void close();
  score::Interval around(double low, double high) const;
  score::Interval quantiles(std::vector<double> defined, double tail) const;
  void finish(OneInterval& interval, Drawn& drawn);
  std::string undefined_text(double share, const std::vector<double>& inputs) const;
  void add_notes(Estimate& out) const;
  bool units_are_cases() const;
  void add_percentile_notes(Estimate& out, std::size_t units) const;
  void add_tail_notes(Estimate& out) const;
  template <class Visit>
  void for_each_question(std::span<const std::uint32_t> units, const Visit& visit) const;

  const formula::Program& program_;
  const Settings& settings_;
  Plan plan_;
  std::optional<double> value_;
  bool keeps_values_;
  std::unique_ptr<Study> study_;  // null: refused before it was needed
  OneInterval other_{About::other_evals}, rerun_{About::rerun};
};

}  // namespace vibe::statistics
