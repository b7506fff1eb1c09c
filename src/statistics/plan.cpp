#include "statistics/plan.h"

#include <algorithm>
#include <map>

namespace vibe::statistics {

using formula::Column;
using formula::Input;
using formula::Selector;
using formula::Statistic;

namespace {

class Planner {
 public:
  Planner(const formula::Program& program, const Design& design)
      : program_(program), design_(design), is_seen_(program.formulas.size()) {}

  Plan make(std::size_t formula) {
    visit(formula);
    for (const PlannedInput& input : out_.inputs) add_term(input);
    std::sort(out_.named_shares.begin(), out_.named_shares.end());
    find_strata();
    return std::move(out_);
  }

 private:
  // Nodes are in postorder, so leaves come from left to right.
  void visit(std::size_t formula) {
    if (is_seen_[formula]) return;
    is_seen_[formula] = true;
    for (const auto& node : program_.formulas[formula].tree.nodes) {
      if (node.op == formula::Op::metric) visit(node.index);
      if (node.op == formula::Op::input) add(node.index);
    }
  }

  void add(std::uint32_t index) {
    const auto same = [&](const PlannedInput& known) { return known.input == index; };
    if (std::any_of(out_.inputs.begin(), out_.inputs.end(), same)) return;
    const Input& input = program_.inputs[index];
    const std::uint32_t selected = select(input.over);
    out_.inputs.push_back({index, selected, how_of(input, out_.selected[selected])});
  }

  std::uint32_t select(const Selector& selector) {
    for (std::uint32_t i = 0; i < out_.selected.size(); ++i)
      if (out_.selected[i].selector == selector) return i;
    Selected made{selector, {}, kNone};
    for (std::uint32_t unit = 0; unit < design_.units.size(); ++unit) {
      const std::uint32_t eval = design_.units[unit].eval;
      if (!formula::selects(selector, design_.evals[eval].name, design_.evals[eval].tags)) continue;
      made.units.push_back(unit);
      if (selector.kind == Selector::Kind::eval) made.named = eval;
    }
    if (made.named != kNone) out_.named.push_back(made.named);
    out_.selected.push_back(std::move(made));
    return static_cast<std::uint32_t>(out_.selected.size() - 1);
  }

  bool is_by_case(std::uint32_t eval) const { return design_.is_by_case[eval] != 0; }

  How how_of(const Input& input, const Selected& selected) const {
    switch (input.statistic) {
      case Statistic::mean:
        return input.column == Column::passed && selected.named != kNone &&
                       !is_by_case(selected.named)
                   ? How::share
                   : How::mean;
      case Statistic::sum: return How::sum;
      case Statistic::percent: return How::percent;
      case Statistic::count: return How::count;
      case Statistic::stddev: return How::stddev;
      case Statistic::median:
      case Statistic::percentile: return How::ordered;
      case Statistic::min:
      case Statistic::max: return How::extreme;
      case Statistic::pass_at:
      case Statistic::pass_all: return How::by_question;
    }
    return How::mean;
  }

  void add_term(const PlannedInput& planned) {
    const Input& input = program_.inputs[planned.input];
    if (planned.how == How::share)
      out_.named_shares.push_back(out_.selected[planned.selected].named);
    else if (input.column == Column::passed && planned.how != How::count &&
             std::find(out_.terms.begin(), out_.terms.end(), planned.selected) == out_.terms.end())
      out_.terms.push_back(planned.selected);
  }

  void find_strata() {
    const std::size_t units = design_.units.size();
    std::vector<std::vector<std::uint32_t>> signatures(units);  // by unit: places in `selected`
    for (std::uint32_t i = 0; i < out_.selected.size(); ++i)
      for (const std::uint32_t unit : out_.selected[i].units) signatures[unit].push_back(i);
    // In order of appearance. The cases of an eval are a stratum by themselves.
    std::map<std::pair<std::vector<std::uint32_t>, std::uint32_t>, std::size_t> known;
    std::vector<std::vector<std::uint32_t>> groups;
    for (std::uint32_t unit = 0; unit < units; ++unit) {
      if (signatures[unit].empty()) continue;
      out_.used.push_back(unit);
      const std::uint32_t eval = design_.units[unit].eval;
      const bool is_case = is_by_case(eval);
      if (!is_case && std::find(out_.named.begin(), out_.named.end(), eval) != out_.named.end())
        continue;
      auto key = is_case ? std::pair(std::vector<std::uint32_t>{}, eval)
                         : std::pair(signatures[unit], kNone);
      const auto [found, added] = known.try_emplace(std::move(key), groups.size());
      if (added) groups.emplace_back();
      groups[found->second].push_back(unit);
    }
    out_.stratum_of.assign(units, kNone);
    for (auto& group : groups) {
      if (group.size() < kLeastUnits) {
        out_.has_small_strata = true;
        continue;
      }
      for (const std::uint32_t unit : group)
        out_.stratum_of[unit] = static_cast<std::uint32_t>(out_.strata.size());
      out_.strata.push_back(std::move(group));
    }
  }

  const formula::Program& program_;
  const Design& design_;
  std::vector<bool> is_seen_;  // by formula
  Plan out_;
};

}  // namespace

std::size_t Plan::random_units() const {
  std::size_t count = 0;
  for (const auto& stratum : strata) count += stratum.size();
  return count;
}

std::size_t Plan::used_evals(const Design& design) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (i == 0 || design.units[used[i]].eval != design.units[used[i - 1]].eval) ++count;
  return count;
}

bool Plan::names_all(const Design& design) const {
  return std::all_of(used.begin(), used.end(), [&](std::uint32_t unit) {
    return std::find(named.begin(), named.end(), design.units[unit].eval) != named.end();
  });
}

bool Plan::uses_extremes() const {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const PlannedInput& input) { return input.how == How::extreme; });
}

Plan make_plan(const formula::Program& program, std::size_t formula, const Design& design) {
  return Planner(program, design).make(formula);
}

}  // namespace vibe::statistics
