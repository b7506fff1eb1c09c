// Draws: the values that the inputs of a formula would have had with other evals like these, or if
// the same evals were asked again. A draw is a function of seed and number alone, so draws may be
// computed in any order and by several threads. Immutable once made; safe from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "statistics/design.h"
#include "statistics/plan.h"
#include "statistics/random.h"
#include "statistics/weighted.h"

namespace vibe::statistics {

enum class About : std::uint8_t { other_evals, rerun };

inline constexpr std::size_t kLanes = 16;  // draws that are computed side by side

// The random numbers of a block of draws, which all formulas share.
struct Block {
  std::uint32_t first = 0;                                    // draw
  std::vector<double> weights;                                // by unit, then by lane
  std::array<std::array<std::uint32_t, kLanes>, 2> places{};  // in a table, for the run-wide pair
  // The picked answers, as indices among those of their question: by side, pick and lane.
  std::array<std::vector<std::uint32_t>, 2> picks;
};

// Which answers are redrawn, and the random numbers for it. With two runs, as many answers of a
// question count as the run with fewer has.
class Redraw {
 public:
  Redraw(std::uint64_t seed, const Design& design, std::vector<const Answers*> sides);

  std::uint64_t seed() const { return seed_; }
  std::uint32_t counted(std::uint32_t question) const { return counted_[question]; }
  bool is_redrawn(std::uint32_t question) const { return counted_[question] >= 2; }
  std::uint32_t first_pick(std::size_t side, std::uint32_t question) const {
    return first_pick_[side][question];
  }
  // The blocks of random numbers that pick the answers to these questions, by side.
  using PickBlocks = std::array<std::vector<std::uint32_t>, 2>;
  PickBlocks pick_blocks(std::span<const std::uint32_t> questions) const;
  void fill(std::uint32_t first, const PickBlocks& picked, Block& out) const;

 private:
  std::uint64_t seed_;
  std::size_t units_;
  std::vector<const Answers*> sides_;
  std::vector<std::uint32_t> counted_;                            // by question
  std::array<std::vector<std::uint32_t>, 2> first_pick_, below_;  // by question; by pick
};

// The draws of one formula about one question: for one run, or for both runs of a comparison.
class FormulaDraws {
 public:
  FormulaDraws(About about, const Plan& plan, const Design& design, const Redraw& redraw,
               std::vector<const Weighted*> sides);

  const std::vector<std::uint32_t>& picked() const { return picked_; }  // questions
  // The values of the plan's inputs for the draws of the block: by side, input and lane.
  void fill(const Block& block, std::span<double> out) const;

  // m of section "How wide" in docs/statistics.md, for a selection.
  double design_effect(const Selected& selected) const;
  double counted(std::uint32_t unit) const { return counted_[unit]; }  // answers

 private:
  struct Term {
    std::uint32_t number = 0, selected = 0;
    bool is_run_wide = false;
    bool has_random_units = false;
    double design_effect = 1, size = 0;                 // answers of its random units
    std::array<std::shared_ptr<const Table>, 2> units;  // fail, pass
    std::array<std::array<std::shared_ptr<const Table>, 2>, 2> answers;  // by side: fail, pass
    std::array<std::vector<std::uint32_t>, 2> samples;                   // by side
  };
  struct Share {
    std::uint32_t unit = 0;
    bool has_one_answer = false;
    std::array<std::array<std::shared_ptr<const Table>, 2>, 2> tables;  // by side: fail, pass
  };
  using Lanes = std::array<double, kLanes>;
  struct Scratch;

  Term make_term(std::uint32_t number) const;
  void set_expected_shares();
  void add_random_units(const Block& block, Scratch& scratch) const;
  void add_picks(const Block& block, std::size_t side, std::size_t lane,
                 std::span<double> sums) const;
  void add_copies(const Block& block, const Scratch& scratch, std::size_t side, std::size_t lane,
                  std::vector<Copy>& out) const;
  void smooth(const Block& block, std::size_t side, std::size_t lane,
              std::vector<Smoothing>& out) const;
  void move_chances(const Block& block, std::size_t side, std::size_t lane,
                    std::vector<double>& out) const;
  void weigh_answers(const Block& block, const Scratch& scratch, std::size_t side, std::size_t lane,
                     std::vector<double>& out) const;

  About about_;
  const Plan& plan_;
  const Design& design_;
  const Redraw& redraw_;
  std::vector<const Weighted*> sides_;
  bool is_scaled_;                             // false: one stratum, and nothing else
  std::vector<double> counted_, sizes_;        // answers by unit, by stratum
  std::vector<std::uint32_t> picked_;          // questions that are redrawn
  std::vector<std::vector<double>> constant_;  // by side: sums of what is not drawn
  std::vector<Term> terms_;
  std::vector<Share> shares_;  // by place in plan.named_shares
};

}  // namespace vibe::statistics
