#include "report/kept.h"

#include "base/text.h"
#include "base/time.h"
#include "report/table.h"

namespace vibe::report {

std::string suite_table(std::span<const store::SuiteEntry> suites, score::Millis now,
                        const TextStyle& style) {
  Table table({{"Suite", Align::left, 8},
               {"Evals", Align::right, 0},
               {"Version", Align::right, 0},
               {"Edited", Align::left, 0},
               {"Last run", Align::left, 0}});
  for (const auto& suite : suites)
    table.add({base::printable(suite.name), std::to_string(suite.evals),
               std::to_string(suite.version), ago(suite.edited_at, now),
               suite.last_run_at ? ago(*suite.last_run_at, now) : "never"});
  return table.to_text(style.width);
}

std::string version_table(std::span<const store::SuiteEntry> versions, const TextStyle& style) {
  Table table({{"Version", Align::right, 0},
               {"Edited", Align::left, 0},
               {"Evals", Align::right, 0},
               {"File", Align::left, 12}});
  for (const auto& one : versions)
    table.add({std::to_string(one.version), base::iso_time(one.edited_at),
               std::to_string(one.evals), base::printable(one.path)});
  return table.to_text(style.width);
}

std::string variable_table(std::span<const store::Variable> variables, const TextStyle& style) {
  Table table({{"Name", Align::left, 0}, {"Value", Align::left, 12}});
  for (const auto& one : variables)
    table.add({base::printable(one.name), base::printable(one.value)});
  return table.to_text(style.width);
}

}  // namespace vibe::report
