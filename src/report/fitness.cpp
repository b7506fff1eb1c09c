#include "report/fitness.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "formula/arithmetic.h"
#include "score/numbers.h"
#include "trace/own.h"

namespace vibe::report {

using fitness::Fitness;
using fitness::Rubric;
using fitness::Scored;
using fitness::Signal;
using fitness::Term;

namespace {

// The signals that another one is made of, which are shown below it.
std::vector<Signal> parts_of(Signal id) {
  if (id == Signal::output_quality) return {Signal::completeness, Signal::accuracy};
  if (id == Signal::error_rate) return {Signal::error_count};
  return {};
}

std::string_view signal_name(Signal id) {
  return fitness::kSignals[static_cast<std::size_t>(id)].name;
}

std::string number(double value) { return base::to_decimal(value, 4); }

// As grades see it.
std::string show(double score) {
  return score::show_score(formula::arithmetic::round_decimal(score, 2));
}
std::string show(const std::optional<double>& value) { return value ? show(*value) : "n/a"; }

std::vector<std::string> all_notes(const Scored& one, const Rubric& rubric) {
  std::vector<std::string> out = one.execution.notes;
  for (auto& note : notes_of(one.fitness, rubric))  // what was scored before has them already
    if (std::find(out.begin(), out.end(), note) == out.end()) out.push_back(std::move(note));
  return out;
}

// Breaks a text between words, so that no line is wider; what follows the first is indented more.
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
  // The same, with something in the room that the indentation leaves before the first line.
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

  // The points that a term has, of those it could have.
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
      text += fmt::format("; its weight, {}, is shared out among the others", number(term.weight));
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

void write_explanation(base::JsonWriter& json, const Fitness& fitness) {
  json.key("explanation").begin_object();
  json.key("task_type_from").string(fitness.task.type_from);
  json.key("complexity_from").string(fitness.task.complexity_from);
  json.key("scale").number(fitness.scale);
  json.key("terms").begin_array();
  for (const Term& term : fitness.terms) {
    json.begin_object();
    json.key("expr").string(term.expr);
    json.key("weight").number(term.weight);
    json.key("value").known(term.value);
    json.key("points").number(term.points);
    json.key("most_points").number(term.most_points);
    json.key("signals").begin_array();
    for (const Signal id : term.signals) json.string(signal_name(id));
    json.end_array().end_object();
  }
  json.end_array();
  json.key("formula");
  write_json(json, fitness.explanation);
  json.key("signals").begin_object();
  for (std::size_t i = 0; i < fitness::kSignals.size(); ++i) {
    const auto& signal = fitness.signals[i];
    json.key(fitness::kSignals[i].name).begin_object();
    json.key("value").known(signal.value);
    json.key("why").known(signal.why);
    json.key("evidence").begin_array();
    for (const auto& text : signal.evidence) json.string(text);
    json.end_array().end_object();
  }
  json.end_object().end_object();
}

void write_execution_score(base::JsonWriter& json, const Scored& one, const Rubric& rubric,
                           bool explains) {
  const Fitness& fitness = one.fitness;
  json.begin_object();
  trace::write_figures(json, one.execution);
  json.key("signals").begin_object();
  for (std::size_t i = 0; i < fitness::kSignals.size(); ++i) {
    json.key(fitness::kSignals[i].name).known(fitness.signals[i].value);
  }
  json.end_object();
  json.key("score").known(fitness.score);
  json.key("grade").known(fitness.grade);
  json.key("interpretation").known(fitness.meaning);
  json.key("notes").begin_array();
  for (const auto& note : all_notes(one, rubric)) json.string(note);
  json.end_array();
  if (explains) write_explanation(json, fitness);
  json.end_object();
}

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
      base::JsonWriter json(base::JsonWriter::Layout::indented);
      write_execution_score(json, one, rubric, true);
      items_.add(json.text(), text_);
      break;
    }
    case FitnessForm::jsonl: {
      base::JsonWriter json;
      write_execution_score(json, one, rubric, false);
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
