// Prints a table of the documentation as Markdown, made from the rows that the program uses.
// `docgen` alone lists the tables: `keys:SECTION`, `check:KIND`, `checks`, `codes`, `formats`,
// `functions`, `run-metrics`, `columns`, `results`, `result-formats`, `assertions`,
// `providers`, `variables`, `prices`, `log-formats`, `log:FORMAT`, `signals`, `heuristics`,
// `confusion`, `routes`, `route-details`.
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/codes.h"
#include "check/format.h"
#include "config/schema.h"
#include "fitness/heuristics.h"
#include "fitness/labelled.h"
#include "fitness/rubric.h"
#include "fitness/signals.h"
#include "formula/function.h"
#include "formula/input.h"
#include "formula/names.h"
#include "import/assertion.h"
#include "import/provider.h"
#include "price/price.h"
#include "results/lines.h"
#include "results/results.h"
#include "server/route.h"
#include "suite/schema.h"
#include "trace/format.h"

namespace {

using namespace vibe;
using Row = std::vector<std::string>;

std::string cell(std::string_view text) {  // a bar ends a cell, even in code
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string code(std::string_view text) { return fmt::format("`{}`", text); }

std::string markdown(const Row& head, const std::vector<Row>& rows) {
  std::string out;
  const auto add = [&](const Row& row) {
    for (const auto& text : row) out += "| " + cell(text) + " ";
    out += "|\n";
  };
  add(head);
  for (std::size_t i = 0; i < head.size(); ++i) out += "|---";
  out += "|\n";
  for (const auto& row : rows) add(row);
  return out;
}

std::string keys(const check::Section& section) {
  std::vector<Row> rows;
  for (const auto& field : section.fields) {
    const bool literal =
        !field.fallback.empty() && field.fallback.find(' ') == std::string_view::npos;
    rows.push_back({code(field.name) + (field.required ? " (required)" : ""), check::takes(field),
                    literal ? code(field.fallback) : std::string(field.fallback),
                    std::string(field.doc), code(field.example)});
  }
  return markdown({"key", "takes", "default", "meaning", "example"}, rows);
}

std::string checks() {
  std::vector<Row> rows;
  for (const auto& kind : check::kCheckKinds)
    rows.push_back(
        {code(kind.name), std::string(kind.takes), std::string(kind.summary), code(kind.example)});
  return markdown({"check", "takes", "passes when", "example"}, rows);
}

// What there is to say about one kind of check.
std::string check_section(const check::CheckKind& kind) {
  std::string out = fmt::format("- takes: {}\n- passes when: {}\n", kind.takes, kind.summary);
  out += fmt::format("\n```yaml\nchecks:\n  - {}\n```\n", kind.example);
  for (const auto* section : suite::kSections)
    if (section->name == kind.name) out += "\n" + keys(*section);
  return out;
}

std::string formats() {
  std::vector<Row> rows;
  for (const auto& format : check::formats())
    rows.push_back({code(format.name), std::string(format.what)});
  return markdown({"format", "the string must be"}, rows);
}

std::string codes() {
  std::vector<Row> rows;
  for (const auto& row : base::kCodes)
    rows.push_back({code(base::to_string(row.code)), std::string(base::to_string(row.severity)),
                    std::string(row.summary)});
  return markdown({"code", "severity", "meaning"}, rows);
}

std::string functions() {
  std::vector<Row> rows;
  for (const auto& function : formula::kFunctions)
    rows.push_back({code(function.signature), std::string(function.doc), code(function.example),
                    code(fmt::format("{}", function.example_value))});
  return markdown({"function", "meaning", "example", "value"}, rows);
}

std::string run_metrics() {
  std::vector<Row> rows;
  for (const auto& metric : formula::kRunMetrics)
    rows.push_back({code(metric.name), std::string(metric.doc)});
  return markdown({"name", "value"}, rows);
}

std::string columns() {
  std::vector<Row> rows;
  for (const auto& column : formula::kColumns)
    rows.push_back({code(column.name), std::string(column.doc)});
  return markdown({"column", "value of a sample"}, rows);
}

std::string result_fields() {
  std::vector<Row> rows;
  for (const auto& field : results::kResultFields)
    rows.push_back({code(field.name), std::string(field.type), std::string(field.doc)});
  return markdown({"field", "value", "meaning"}, rows);
}

std::string result_formats() {
  std::vector<Row> rows;
  for (const auto& format : results::formats()) {
    std::string options = format.takes_provider ? "`--provider`" : "";
    if (format.takes_prompt) options += ", `--prompt`";
    if (format.takes_scorer) options = "`--scorer`, `--pass-at`";
    rows.push_back({std::string(format.name), std::string(format.summary), options});
  }
  return markdown({"format", "is", "select with"}, rows);
}

std::string assertions() {
  std::vector<Row> rows;
  for (const auto& kind : import::assertion_kinds())
    rows.push_back({code(kind.type), kind.becomes.empty() ? "left out" : code(kind.becomes),
                    kind.negatable ? "yes" : "", std::string(kind.remark)});
  return markdown({"assertion", "becomes", "also `not-`", "remark"}, rows);
}

std::string providers() {
  std::vector<Row> rows;
  for (const auto& kind : import::provider_kinds())
    rows.push_back({code(kind.prefix), kind.becomes.empty() ? "left out" : code(kind.becomes),
                    std::string(kind.remark)});
  return markdown({"provider", "becomes", "remark"}, rows);
}

std::string variables() {
  std::vector<Row> rows;
  for (const auto& row : config::kVariables)
    rows.push_back(
        {code(row.name), row.key.empty() ? std::string() : code(row.key), std::string(row.doc)});
  return markdown({"variable", "key", "meaning"}, rows);
}

std::string prices() {
  return markdown({"prices", ""},
                  {{"from", code(price::PriceTable::origin())},
                   {"as of", std::string(price::PriceTable::date())},
                   {"models", fmt::format("{}", price::PriceTable().models().size())}});
}

std::string log_formats() {
  std::vector<Row> rows;
  for (const auto& format : trace::formats())
    rows.push_back({fmt::format("[`{0}`](#{0})", format.name), std::string(format.title),
                    std::string(format.found), std::string(format.signs)});
  return markdown({"`--format`", "log", "source", "recognised by"}, rows);
}

std::string log_section(const trace::LogFormat& format) {
  std::vector<Row> rows;
  for (const auto& field : format.fields)
    rows.push_back({std::string(field.wanted), std::string(field.place)});
  return fmt::format("{}\n- source: {}\n- unknown: {}\n- versions: {}\n",
                     markdown({"value", "read from"}, rows), format.found, format.not_known,
                     format.versions);
}

std::string signals() {
  std::vector<Row> rows;
  for (const auto& signal : fitness::kSignals)
    rows.push_back({code(signal.name), std::isinf(signal.most) ? "0 or more" : "0 to 1",
                    std::string(signal.doc)});
  return markdown({"signal", "range", "meaning"}, rows);
}

std::string in_a_line(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string(" ⏎ ") : std::string(1, c);
  return code(out);
}

std::string heuristics() {
  static constexpr std::string_view kParts[] = {"completeness", "accuracy", "structure"};
  std::vector<Row> rows;
  for (const auto& row : fitness::heuristics()) {
    // A code span cannot hold backticks; what is meant can be seen without them.
    const auto shown = [](std::string_view text) {
      std::string plain(text);
      for (auto at = plain.find("```"); at != std::string::npos; at = plain.find("```"))
        plain.replace(at, 3, "~~~");
      std::erase(plain, '`');
      return in_a_line(plain);
    };
    rows.push_back({code(row.name), std::string(kParts[static_cast<std::size_t>(row.part)]),
                    fmt::format("{}", row.weight), std::string(row.rule), shown(row.holds),
                    shown(row.fails)});
  }
  return markdown({"rule", "part of", "weight", "holds for", "example", "counterexample"}, rows);
}

std::string confusion() {
  const auto answers = fitness::test::labelled_answers(VIBE_TEST_DATA "/cases/answers");
  const auto found = fitness::test::confusions(answers, fitness::default_rubric().words);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& one = found[i];
    rows.push_back({code(fitness::heuristics()[i].name), fmt::format("{}", one.true_positives),
                    fmt::format("{}", one.true_negatives), fmt::format("{}", one.false_positives),
                    fmt::format("{}", one.false_negatives)});
  }
  return markdown(
      {"rule", "both say yes", "both say no", "only the rule says yes", "only the person says yes"},
      rows);
}

std::vector<const check::Section*> sections() {
  std::vector<const check::Section*> all(suite::kSections.begin(), suite::kSections.end());
  all.insert(all.end(), config::kSections.begin(), config::kSections.end());
  return all;
}

std::string_view key_of(const server::Route& route) {
  return route.role ? to_string(*route.role) : "anyone";
}

std::string routes() {
  std::vector<Row> rows;
  for (const auto& route : server::routes())
    rows.push_back({code(fmt::format("{} {}", route.method, route.path)),
                    std::string(key_of(route)), std::string(route.summary)});
  return markdown({"route", "key", "description"}, rows);
}

std::string example(std::string_view what, std::string_view text, std::string_view type) {
  if (text.empty()) return {};
  const bool is_json = type == "application/json";
  return fmt::format("\n{}:\n\n```{}\n{}{}```\n", what, is_json ? "json" : "text", text,
                     text.ends_with('\n') ? "" : "\n");
}

// The keys of a body, those of an object inside by their path.
void add_keys(const base::Section& section, const std::string& path, std::vector<Row>& rows) {
  for (const auto& field : section.fields) {
    const std::string name = path + std::string(field.name);
    rows.push_back({code(name) + (field.required ? " (required)" : ""), server::takes_json(field),
                    std::string(field.doc)});
    if (field.section) add_keys(*field.section, name + ".", rows);
  }
}

// What there is to say about each route.
std::string route_details() {
  std::string out;
  for (const auto& route : server::routes()) {
    out +=
        fmt::format("{}### `{} {}`\n\nKey: {}. {}{}.{}{}\n", out.empty() ? "" : "\n", route.method,
                    route.path, key_of(route), static_cast<char>(route.summary[0] - 'a' + 'A'),
                    route.summary.substr(1), route.details.empty() ? "" : " ", route.details);
    std::vector<Row> rows;
    for (const auto& one : route.query)
      rows.push_back({code(one.name), std::string(one.type), std::string(one.doc)});
    if (!rows.empty()) out += "\n" + markdown({"query", "type", "meaning"}, rows);
    std::vector<Row> body;
    if (route.body) add_keys(*route.body, "", body);
    if (!body.empty()) out += "\n" + markdown({"key", "takes", "meaning"}, body);
    out += example("Request", route.request,
                   route.takes_file ? "application/octet-stream" : "application/json");
    out += example("Response", route.response, route.response_type);
  }
  return out;
}

struct Table {
  std::string_view name;
  std::string (*make)();
};

constexpr Table kTables[] = {{"checks", checks},           {"codes", codes},
                             {"formats", formats},         {"functions", functions},
                             {"run-metrics", run_metrics}, {"columns", columns},
                             {"results", result_fields},   {"result-formats", result_formats},
                             {"assertions", assertions},   {"providers", providers},
                             {"variables", variables},     {"prices", prices},
                             {"log-formats", log_formats}, {"signals", signals},
                             {"heuristics", heuristics},   {"confusion", confusion},
                             {"routes", routes},           {"route-details", route_details}};
constexpr std::string_view kKeys = "keys:", kCheck = "check:", kLog = "log:";

std::string make(std::string_view name) {
  for (const auto& table : kTables)
    if (table.name == name) return table.make();
  if (name.starts_with(kKeys))
    for (const auto* section : sections())
      if (section->name == name.substr(kKeys.size())) return keys(*section);
  if (name.starts_with(kCheck))
    if (const auto* kind = check::find_check_kind(name.substr(kCheck.size())))
      return check_section(*kind);
  if (name.starts_with(kLog))
    for (const auto& format : trace::formats())
      if (format.name == name.substr(kLog.size())) return log_section(format);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    for (const auto& table : kTables) fmt::print("{}\n", table.name);
    for (const auto* section : sections()) fmt::print("{}{}\n", kKeys, section->name);
    for (const auto& kind : check::kCheckKinds) fmt::print("{}{}\n", kCheck, kind.name);
    for (const auto& format : trace::formats()) fmt::print("{}{}\n", kLog, format.name);
    return 0;
  }
  const std::string text = make(argv[1]);
  if (text.empty()) {
    fmt::print(stderr, "docgen: there is no table `{}`\n", argv[1]);
    return 2;
  }
  fmt::print("{}", text);
  return 0;
}
