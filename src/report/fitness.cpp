#include "report/fitness.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "formula/arithmetic.h"
#include "score/numbers.h"
#include "wire/fitness.h"

namespace vibe::report {

using fitness::Fitness;
using fitness::Rubric;
using fitness::Scored;
using fitness::Signal;
using fitness::Term;

namespace {

// The signals that make up another one; they are shown below it.
std::vector<Signal> parts_of(Signal id) {
  if (id == Signal::output_quality) return {Signal::completeness, Signal::accuracy};
  if (id == Signal::error_rate) return {Signal::error_count};
  return {};
}

std::string_view signal_name(Signal id) {
  return fitness::kSignals[static_cast<std::size_t>(id)].name;
}

std::string number(double value) { return base::to_decimal(value, 4); }

// Rounded as for grades.
std::string show(double score) {
  return score::show_score(formula::arithmetic::round_decimal(score, 2));
}
std::string show(const std::optional<double>& value) { return value ? show(*value) : "n/a"; }

// Wraps a text between words at this width; the lines after the first are indented further.
void write_wrapped(std::string_view text, std::size_t indent, std::size_t width, std::string& out) {
  constexpr std::size_t kLeast = 20;  // columns, however narrow the terminal is
  std::string line;
  const auto flush = [&] {
    out.append(indent, ' ').append(line).append("\n");
    line.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const std::size_t room = std::max(width, indent + kLeast) - indent;
    if (!line.empty() && base::display_width(line) + 1 + base::display_width(word) > room) {
      flush();
      line = "  ";
      line += word;
    } else {
      if (!line.empty()) line += ' ';
      line += word;
    }
    at = end + 1;
  }
  if (!line.empty()) flush();
}

class Explaining {
 public:
  Explaining(const Scored& scored, const Rubric& rubric, const TextStyle& style)
      : execution_(scored.execution), fitness_(scored.fitness), rubric_(rubric), style_(style) {}

  std::string text() {
    out_ = fmt::format("=== {} ===\n", name_of(execution_));
    write_head();
    out_ += "\n";
    if (!fitness_.terms.empty()) {
      for (const Term& term : fitness_.terms) write_term(term);
      write_sum();
    } else {
      line(0, fmt::format("formula: {}", base::fold_white_space(rubric_.program.score().text)));
      if (fitness_.score) out_ += to_text(fitness_.explanation);
      for (const Signal id :
           fitness::signals_of(rubric_.program, rubric_.program.formulas.size() - 1))
        write_signal(id, 2);
    }
    if (!execution_.notes.empty()) out_ += "\n";
    for (const auto& note : execution_.notes) line(0, fmt::format("note: {}", note));
    return std::move(out_);
  }

 private:
  void line(std::size_t indent, const std::string& text) {
    write_wrapped(base::printable(text), indent, style_.width, out_);
  }
  // The same, with `before` in the indentation of the first line.
  void line(const std::string& before, const std::string& text) {
    const std::size_t begin = out_.size();
    line(before.size(), text);
    out_.replace(begin, before.size(), before);
  }

  void write_head() {
    const auto& task = fitness_.task;
    if (fitness_.score)
      line(0, fmt::format("Score: {}, grade {}{}{}", show(*fitness_.score), fitness_.grade,
                          fitness_.meaning.empty() ? "" : ": ", fitness_.meaning));
    else
      line(0, fmt::format("Score: n/a ({})", fitness_.error));
    line(0, fmt::format("Task: {} ({}); complexity: {} ({})", to_string(task.type), task.type_from,
                        to_string(task.complexity), task.complexity_from));
  }

  // The points of a term, and its maximum.
  static std::string points(const Term& term) {
    if (!term.value) return fmt::format("{:>15}  ", "n/a");
    return fmt::format("{:>6.2f} of {:>5.2f}  ", term.points, term.most_points);
  }

  void write_term(const Term& term) {
    const std::string before = points(term);
    const bool is_signal =
        term.signals.size() == 1 && term.expr == signal_name(term.signals.front());
    std::string text = term.expr;
    if (!term.value) {
      if (is_signal)
        text += fmt::format(": n/a ({})", value_of(fitness_.signals, term.signals.front()).why);
      text += fmt::format("; its weight, {}, goes to the others", number(term.weight));
    } else if (fitness_.scale != 1 && term.weight > 0) {
      text += fmt::format(" = {}, weight {} × {} = {}", number(*term.value), number(term.weight),
                          number(fitness_.scale), number(term.weight * fitness_.scale));
    } else {
      text += fmt::format(" = {}, weight {}", number(*term.value), number(term.weight));
    }
    line(before, text);
    if (is_signal && term.value) write_evidence(term.signals.front(), before.size() + 2);
    if (is_signal) return;
    for (const Signal id : term.signals) write_signal(id, before.size() + 2);
  }

  void write_sum() { out_ += fmt::format("──────\n{:>6}\n", show(*fitness_.score)); }

  void write_signal(Signal id, std::size_t indent) {
    const auto& signal = value_of(fitness_.signals, id);
    line(indent, signal.value ? fmt::format("{} = {}", signal_name(id), number(*signal.value))
                              : fmt::format("{}: n/a ({})", signal_name(id), signal.why));
    if (signal.value) write_evidence(id, indent + 2);
  }

  void write_evidence(Signal id, std::size_t indent) {
    const auto parts = parts_of(id);
    for (const Signal part : parts) write_signal(part, indent);
    if (!parts.empty()) return;
    for (const auto& text : value_of(fitness_.signals, id).evidence) line(indent, text);
  }

  const trace::Execution& execution_;
  const Fitness& fitness_;
  const Rubric& rubric_;
  const TextStyle& style_;
  std::string out_;
};

}  // namespace

FitnessReport::FitnessReport(FitnessForm form, const TextStyle& style)
    : form_(form), style_(style), table_([] {
        std::vector<Column> columns{{"Session", Align::left, 8}, {"Task", Align::left, 0}};
        for (const auto& column : kSignalColumns)
          columns.push_back({column.title, Align::right, 0});
        columns.push_back({"Score", Align::right, 0});
        columns.push_back({"Grade", Align::left, 0});
        return columns;
      }()) {}

void FitnessReport::add_row(const Scored& one, const Rubric& rubric) {
  const Fitness& fitness = one.fitness;
  std::vector<std::string> cells{
      name_of(one.execution),
      fmt::format("{}, {}", to_string(fitness.task.type), to_string(fitness.task.complexity))};
  for (const auto& column : kSignalColumns)
    cells.push_back(show(value_of(fitness.signals, column.id).value));
  cells.push_back(show(fitness.score));
  cells.push_back(base::printable(fitness.grade));
  notes_.add(cells.front(), all_notes(one, rubric));
  table_.add(std::move(cells));
}

void FitnessReport::add(const Scored& one, const Rubric& rubric) {
  switch (form_) {
    case FitnessForm::table: add_row(one, rubric); break;
    case FitnessForm::explanations:
      text_ += (any_ ? "\n" : "") + Explaining(one, rubric, style_).text();
      break;
    case FitnessForm::json: {
      auto json = wire::indented_json();
      wire::write_fitness(json, one, rubric, base::Detail::all);
      items_.add(json.text(), text_);
      break;
    }
    case FitnessForm::jsonl: {
      base::JsonWriter json;
      wire::write_fitness(json, one, rubric, base::Detail::none);
      text_.append(json.text()).append("\n");
      break;
    }
  }
  any_ = true;
}

std::string FitnessReport::finish() {
  if (form_ == FitnessForm::json) items_.end(text_);
  if (form_ == FitnessForm::table && any_) text_ += table_.to_text(style_.width) + notes_.text();
  return take();
}

std::string fitness_report(FitnessForm form, std::span<const Scored> executions,
                           const Rubric& rubric, const TextStyle& style) {
  FitnessReport out(form, style);
  for (const auto& one : executions) out.add(one, rubric);
  return out.finish();
}

}  // namespace vibe::report
