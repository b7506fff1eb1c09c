#include "formula/program.h"

#include <algorithm>

#include <fmt/format.h>

#include "formula/check.h"

namespace vibe::formula {

using base::Code;

namespace {

// Orders each metric after those it uses. Reports the cycles it finds, one per start.
class Ordering {
 public:
  Ordering(std::span<const Formula> formulas, std::span<const Definition> metrics,
           base::Diagnostics& out)
      : formulas_(formulas),
        metrics_(metrics),
        out_(out),
        states_(formulas.size(), State::unseen),
        reported_(formulas.size(), 0) {}

  std::vector<std::uint32_t> run() {
    for (std::uint32_t i = 0; i < formulas_.size(); ++i) visit(i);
    return std::move(order_);
  }

 private:
  enum class State : std::uint8_t { unseen, open, done };

  void visit(std::uint32_t i) {  // at most kMaxMetrics deep
    if (states_[i] == State::done) return;
    if (states_[i] == State::open) {
      if (reported_[i] == 0) report_cycle(i);
      reported_[i] = 1;
      return;
    }
    states_[i] = State::open;
    path_.push_back(i);
    for (const Node& node : formulas_[i].tree.nodes)
      if (node.op == Op::metric) visit(node.index);
    path_.pop_back();
    states_[i] = State::done;
    order_.push_back(i);
  }

  void report_cycle(std::uint32_t i) {
    const auto begin = std::find(path_.begin(), path_.end(), i);
    std::string cycle;
    for (auto step = begin; step != path_.end(); ++step)
      cycle += fmt::format("`{}` → ", formulas_[*step].name);
    out_.add(Code::metric_cycle, metrics_[i].where,
             fmt::format("metrics depend on each other: {}`{}`", cycle, formulas_[i].name),
             "a metric may only use metrics that do not use it");
  }

  std::span<const Formula> formulas_;
  std::span<const Definition> metrics_;
  base::Diagnostics& out_;
  std::vector<State> states_;
  std::vector<char> reported_;  // as the start of a cycle
  std::vector<std::uint32_t> path_, order_;
};

void warn_if_constant(const Program& program, const base::Passage& text, base::Diagnostics& out) {
  std::vector<char> varies(program.formulas.size(), 0);
  for (const std::uint32_t i : program.order)
    for (const Node& node : program.formulas[i].tree.nodes)
      if (node.op == Op::input || (node.op == Op::metric && varies[node.index] != 0)) varies[i] = 1;
  if (varies.back() == 0)
    out.add(Code::constant_formula,
            base::at(text, {0, static_cast<std::uint32_t>(text.text.size())}),
            "the formula uses no variable and no aggregate", "every run would get the same score");
}

}  // namespace

std::optional<Program> compile(const Names& names, std::span<const Definition> metrics,
                               const base::Passage& score, base::Diagnostics& out) {
  const std::size_t errors = out.errors();
  if (metrics.size() > kMaxMetrics) {
    out.add(Code::formula_limit, metrics[kMaxMetrics].where,
            fmt::format("the score section has {} metrics; the limit is {}", metrics.size(),
                        kMaxMetrics),
            "remove some");
    return std::nullopt;
  }
  Program program;
  Inputs inputs;
  const auto text_of = [&](std::size_t i) -> const base::Passage& {
    return i < metrics.size() ? metrics[i].text : score;
  };
  std::vector<char> parsed;
  for (std::size_t i = 0; i <= metrics.size(); ++i) {
    const base::Passage& text = text_of(i);
    const std::size_t before = out.errors();
    program.formulas.push_back({i < metrics.size() ? metrics[i].name : std::string(), text.text,
                                parse(text, names, inputs, out), Interval::anything()});
    parsed.push_back(out.errors() == before);
  }
  program.order = Ordering(program.formulas, metrics, out).run();
  program.inputs = std::move(inputs).take();

  std::vector<Interval> ranges(program.formulas.size(), Interval::anything());
  for (const std::uint32_t i : program.order) {
    base::Diagnostics found;
    const Interval range =
        check(program.formulas[i].tree, text_of(i), program.inputs, ranges, found);
    if (parsed[i] != 0)
      program.formulas[i].range = ranges[i] = range;
    else
      found.remove_notes();  // the errors come first
    out.append(found);
  }
  if (out.errors() != errors) return std::nullopt;
  warn_if_constant(program, score, out);
  return program;
}

std::vector<std::uint32_t> unused_evals(const Names& names, const Program& program) {
  std::vector<char> used(names.evals().size(), 0);
  bool any = false;
  for (const Input& input : program.inputs) {
    // A pass rate over all samples uses every eval.
    if (input.column == Column::passed && input.over.kind == Selector::Kind::all) return {};
    if (input.over.kind == Selector::Kind::all) continue;
    if (input.over.kind == Selector::Kind::eval) {
      if (const auto eval = names.find_braced(input.over.text)) used[eval->index] = any = true;
      continue;
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!selects(input.over, names.evals()[i].name, names.evals()[i].tags)) continue;
      used[i] = 1;
      any = true;
    }
  }
  std::vector<std::uint32_t> unused;
  for (std::uint32_t i = 0; any && i < used.size(); ++i)
    if (used[i] == 0) unused.push_back(i);
  return unused;
}

}  // namespace vibe::formula
