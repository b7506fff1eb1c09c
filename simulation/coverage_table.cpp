// Simulates suites whose true score is known: how often the intervals contain it, how often a
// comparison raises a false alarm, and how often it shows a real difference. Prints a line of
// tab-separated values for each figure, and writes the tables of docs/statistics.md.
//
// Usage: coverage_table [--experiments N] [--threads N] [--only TEXT] [FILE]
//
// FILE gets the tables, between `<!-- simulated: NAME -->` and `<!-- end -->`; without it, they are
// printed. --only simulates the cells whose lines contain TEXT, and writes tables of these alone.
// Exit code: 1 if a figure is outside its band, which is looked at from 1,000 experiments on; 2 if
// an argument is wrong.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

#include <fmt/format.h>

#include "simulation/cells.h"
#include "simulation/experiment.h"
#include "simulation/table.h"

namespace vibe::simulation {

namespace {

using statistics::About;

constexpr std::size_t kJudgedFrom = 1'000;     // experiments
constexpr std::uint32_t kMostSimulated = 300;  // evals of a pair; more would take too long
constexpr double kFalseAlarms = 0.025, kFalseDifferences = 0.05;

struct Options {
  Effort effort;
  std::string only, file;
};

double percent(std::size_t count, std::size_t of) {
  return 100 * static_cast<double>(count) / static_cast<double>(of);
}

std::string label_of(const Scored& formula) {
  return formula.label.empty() ? "`" + formula.formula + "`" : formula.label;
}

std::string answers_text(std::uint32_t least, std::uint32_t most) {
  if (least != most) return fmt::format("{}–{} answers", least, most);
  return fmt::format("{} answer{}", least, least == 1 ? "" : "s");
}

constexpr const char* kOtherEvals = "other evals like these";
std::string again_text(std::uint32_t answers) {
  return fmt::format("asked again, {}",
                     answers < kJudgedAnswers ? answers_text(answers, answers) : "3 or more");
}

std::string evals_text(std::uint32_t count) { return fmt::format("{} evals", count); }

// The same for the same cell, whatever else is simulated.
std::uint64_t seed_of(const std::string& line) {
  std::uint64_t out = 0;
  for (const char byte : line)
    out = base::SplitMix64(out ^ static_cast<unsigned char>(byte)).next();
  return out;
}

class Simulation {
 public:
  explicit Simulation(Options options) : options_(std::move(options)) {}

  void run() {
    for (const auto& cell : suite_cells())
      for (const std::size_t world : cell.worlds) add_suites(cell, world);
    for (const auto& cell : pair_cells()) add_pairs(cell);
    for (const auto& cell : planned_pairs()) add_pairs(cell);
  }

  std::vector<const Table*> tables() const {
    return {&other_evals_, &asked_again_, &other_suites_, &false_alarms_,
            &power_,       &plan_,        &planned_power_};
  }
  const std::vector<std::string>& outside() const { return outside_; }

 private:
  bool is_wanted(const std::string& line) const {
    return line.find(options_.only) != std::string::npos;
  }

  void add_suites(const SuiteCell& cell, std::size_t world) {
    const Shape& shape = cell.shape;
    const auto line = fmt::format("{}\t{} questions\t{}\tworld {}",
                                  cell.suite.empty() ? "plain" : cell.suite, shape.questions(),
                                  answers_text(shape.least_answers, shape.most_answers), world);
    std::string labels;
    for (const auto& formula : cell.formulas) labels += "\t" + label_of(formula);
    if (!is_wanted(line + labels)) return;
    const auto seen = measure(cell, kWorlds[world], seed_of(line), options_.effort);
    for (std::size_t i = 0; i < cell.formulas.size(); ++i)
      for (std::size_t about = 0; about < kAbouts.size(); ++about) {
        const Covered& covered = seen.by_formula[i][about];
        // Otherwise there is usually no interval.
        if (2 * covered.shown >= options_.effort.experiments)
          take(cell, cell.formulas[i], kAbouts[about], line, covered);
      }
  }

  void take(const SuiteCell& cell, const Scored& formula, About about, const std::string& line,
            const Covered& seen) {
    const Shape& shape = cell.shape;
    const bool is_other = about == About::other_evals;
    const std::string question = is_other ? kOtherEvals : "asked again";
    const double covered = percent(seen.covered, seen.shown);
    const auto label = label_of(formula);
    const auto name = fmt::format("{}\t{}\t{}", line, label, question);
    std::cout << name << '\t' << seen.shown << '\t' << seen.covered << std::endl;
    const auto answers = answers_text(shape.least_answers, shape.most_answers);
    if (!cell.suite.empty())
      other_suites_.add(fmt::format("{}: {}", cell.suite, label),
                        is_other ? kOtherEvals : again_text(shape.least_answers), covered);
    else if (is_other)
      other_evals_.add(label, evals_text(shape.of_each), covered);
    else
      asked_again_.add(fmt::format("{}, {}", label, answers), evals_text(shape.of_each), covered);
    const std::uint32_t from = is_other ? 1 : kJudgedAnswers;
    if (shape.questions() >= kJudgedEvals &&
        shape.least_answers >= std::max(from, formula.judged_from))
      judge(name, covered, kLeastCovered, kMostCovered);
  }

  void add_pairs(const PairCell& cell) {
    const auto answers = answers_text(cell.answers, cell.answers);
    const auto line = fmt::format(
        "pairs\t{} questions\t{}\t{:.2f} pass\t{:.3f} failures\t{:.1f} "
        "redrawn\t{}",
        cell.evals, answers, cell.world.passes, cell.failures, cell.redrawn, cell.formula.formula);
    if (!is_wanted(line)) return;
    if (!cell.planned.empty()) plan_.add(cell.planned, answers, cell.evals);
    if (cell.evals > kMostSimulated) return;
    const auto seen = measure(cell, seed_of(line), options_.effort);
    std::cout << fmt::format(
                     "{}\t{} pairs\t{} worse\t{} different\t{} on others\t{} better\t{} on others",
                     line, seen.pairs, seen.worse, seen.different, seen.different_on_others,
                     seen.better, seen.better_on_others)
              << std::endl;
    const auto label = label_of(cell.formula), evals = evals_text(cell.evals);
    const auto add_rate = [&](const std::string& what, std::size_t count, double most) {
      const double rate = percent(count, seen.pairs);
      const double error = std::sqrt(most * (1 - most) / static_cast<double>(seen.pairs));
      false_alarms_.add(fmt::format("{}: {}", label, what), evals, rate);
      judge(fmt::format("{}\t{}", line, what), rate, 0, 100 * (most + 3 * error));
    };
    if (!cell.planned.empty()) {
      planned_power_.add(cell.planned, answers,
                         percent(cell.on_others ? seen.better_on_others : seen.better, seen.pairs));
    } else if (cell.failures < 1) {
      const auto row = fmt::format("{}, {}", label, evals);
      power_.add(row + ", on these evals", answers, percent(seen.better, seen.pairs));
      power_.add(row + ", also on other evals", answers,
                 percent(seen.better_on_others, seen.pairs));
    } else if (cell.redrawn > 0) {
      add_rate("different on other evals", seen.different_on_others, kFalseDifferences);
    } else {
      add_rate("gate fails", seen.worse, kFalseAlarms);
      add_rate("different", seen.different, kFalseDifferences);
    }
  }

  void judge(const std::string& name, double rate, double least, double most) {
    if (options_.effort.experiments >= kJudgedFrom && (rate < least || rate > most))
      outside_.push_back(
          fmt::format("{}\t{:.2f} % is not within {:.4g}–{:.4g} %", name, rate, least, most));
  }

  Options options_;
  Table other_evals_{"other-evals", "formula", {}}, asked_again_{"asked-again", "formula", {}};
  Table other_suites_{"other-suites",
                      "suite and formula",
                      {kOtherEvals, again_text(1), again_text(2), again_text(kJudgedAnswers)}};
  Table false_alarms_{"false-alarms", "formula", {}, 1};
  Table power_{"power", "formula and evals", {}};
  Table plan_{"plan", "difference", {}};
  Table planned_power_{
      "planned-power", "difference", {answers_text(1, 1), answers_text(3, 3), answers_text(5, 5)}};
  std::vector<std::string> outside_;
};

[[noreturn]] void fail(const std::string& message) {
  std::cerr << "coverage_table: " << message << '\n';
  std::exit(2);
}

std::size_t number_of(const std::string& text) {
  std::size_t out = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, out);
  if (error != std::errc() || at != end || out == 0)
    fail("`" + text + "` must be a whole number above 0");
  return out;
}

Options options_of(const std::vector<std::string>& arguments) {
  Options out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (!name.starts_with("--")) {
      out.file = name;
      continue;
    }
    if (++i == arguments.size()) fail("`" + name + "` needs a value");
    if (name == "--experiments")
      out.effort.experiments = number_of(arguments[i]);
    else if (name == "--threads")
      out.effort.threads = number_of(arguments[i]);
    else if (name == "--only")
      out.only = arguments[i];
    else
      fail("unknown option `" + name + "`");
  }
  return out;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("cannot read `" + path + "`");
  return {std::istreambuf_iterator<char>(file), {}};
}

int run(const Options& options) {
  Simulation simulation(options);
  const auto tables = simulation.tables();
  if (!options.file.empty() && !with_tables(read(options.file), tables))
    fail("`" + options.file + "` has no place for a table");
  simulation.run();
  if (options.file.empty()) {
    for (const Table* table : tables)
      if (!table->is_empty()) std::cout << '\n' << table->name() << "\n\n" << table->markdown();
  } else {
    const auto text = with_tables(read(options.file), tables);
    if (!(std::ofstream(options.file, std::ios::binary) << text.value()))
      fail("cannot write `" + options.file + "`");
  }
  for (const auto& one : simulation.outside()) std::cerr << "outside its band: " << one << '\n';
  return simulation.outside().empty() ? 0 : 1;
}

}  // namespace

}  // namespace vibe::simulation

int main(int count, char** arguments) {
  return vibe::simulation::run(vibe::simulation::options_of({arguments + 1, arguments + count}));
}
