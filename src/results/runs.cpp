// vibe's own runs: `vibe get run --json` and `vibe check --json`, one run or a list of them, and
// the table of `vibe get run --csv`. Only figures are kept, so a file may have any size.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/yaml.h"
#include "results/format.h"
#include "results/reading.h"

namespace vibe::results {

using base::Code;
using base::JsonValue;
using score::Sample;

namespace {

constexpr std::array<std::string_view, 11> kResultKeys{
    "eval",    "passed",         "status",          "error",
    "cost",    "prompt_tokens",  "latency_seconds", "completion_tokens",
    "fitness", "output_quality", "structure_score"};
constexpr std::string_view kErrorStatus = "error";

struct Figure {
  std::string_view key;
  double Sample::* field;
  double most;  // the largest possible value
};
constexpr std::array kFigures{
    Figure{"latency_seconds", &Sample::latency, HUGE_VAL},
    Figure{"cost", &Sample::cost, HUGE_VAL},
    Figure{"prompt_tokens", &Sample::prompt_tokens, HUGE_VAL},
    Figure{"completion_tokens", &Sample::completion_tokens, HUGE_VAL},
    Figure{"output_quality", &Sample::output_quality, 1},
    Figure{"structure_score", &Sample::structure_score, 1},
    Figure{"fitness", &Sample::fitness, 100},
};

struct Row {
  std::string eval;
  Sample sample;
  std::optional<std::string> error;  // why there is no answer to judge
};

// Returns the index of its eval.
std::uint32_t add_row(const Row& row, score::Samples& samples) {
  const std::uint32_t eval = samples.eval(row.eval);
  samples.add(eval, row.sample);
  if (row.error) samples.add_errors(1, *row.error);
  return eval;
}

std::string shown_cell(std::string_view text) { return base::shorten(base::printable(text), 40); }

// The problem with a name; empty: none.
std::string fault_of_name(std::string_view name) {
  if (base::printable(name) != name) return "the eval name contains a control character";
  if (name.size() <= formula::kMaxNameBytes) return {};
  return fmt::format("the eval name is {} bytes long; the limit is {}", name.size(),
                     formula::kMaxNameBytes);
}

using Tags = std::map<std::string, std::vector<std::string>, std::less<>>;  // by eval

Tags tags_of_suite(std::string text) {
  Tags out;
  const auto document = base::parse_yaml(base::make_source("suite", std::move(text)));
  const base::YamlNode* evals = document ? document->root().find("evals") : nullptr;
  if (!evals) return out;
  for (const base::YamlNode* eval : evals->items) {
    const base::YamlNode *name = eval->find("name"), *tags = eval->find("tags");
    if (!name || !tags) continue;
    for (const base::YamlNode* tag : tags->items)
      if (base::printable(tag->text) == tag->text)
        out[std::string(name->text)].emplace_back(tag->text);
  }
  return out;
}

class RunReader {
 public:
  RunReader(std::string file, base::Diagnostics& out) : file_(std::move(file)), out_(out) {}

  void read(base::JsonStream& stream) {
    if (stream.next() != '[') return read_run(stream);
    stream.array([&] { read_run(stream); });
  }

  void finish(const Choice& choice, score::Samples& samples) {
    if (out_.failed()) return;
    std::vector<std::string> models;
    std::unordered_map<std::string_view, std::size_t> by_name;  // indices in `models`
    for (const Run& run : runs_)
      if (!run.rows.empty() && by_name.try_emplace(run.model, models.size()).second)
        models.push_back(run.model);
    const auto chosen = choose(models, choice.provider, "--provider", "models", file_, out_);
    if (out_.failed()) return;
    for (Run& run : runs_) {
      if (run.rows.empty() || !chosen[by_name.at(run.model)]) continue;
      for (const Row& row : run.rows) {
        const std::uint32_t eval = add_row(row, samples);
        if (const auto tags = run.tags.find(row.eval); tags != run.tags.end())
          for (const auto& tag : std::exchange(tags->second, {})) samples.tag(eval, tag);
      }
      if (run.status != "completed")
        report(Code::unscored_result, file_, 1,
               fmt::format("the run has status `{}`", shown_cell(run.status)), out_,
               "samples may be missing");
    }
  }

 private:
  struct Run {
    std::string model, status;
    Tags tags;
    std::vector<Row> rows;
  };

  void read_run(base::JsonStream& stream) {
    Run& run = runs_.emplace_back();
    stream.object([&](std::string_view key) {
      if (key == "model") run.model = text(stream);
      if (key == "status") run.status = text(stream);
      if (key == "yaml_content") run.tags = tags_of_suite(text(stream));
      if (key == "results" && stream.next() == '[') stream.array([&] { read_result(stream, run); });
    });
  }

  static std::string text(base::JsonStream& stream) {
    std::string json;
    if (!stream.copy(json, kMostKept)) return {};
    const auto value = base::parse_json(json);
    return value && value->text() ? *value->text() : std::string();
  }

  void read_result(base::JsonStream& stream, Run& run) {
    const std::uint64_t line = stream.line();
    if (stream.next() != '{') {
      if (stream.skip()) report(Code::bad_document, file_, line, "a result is not an object", out_);
      return;
    }
    if (const auto result = take(stream, kResultKeys, file_, out_)) add(*result, line, run);
  }

  void add(const JsonValue& result, std::uint64_t line, Run& run) {
    Row row{.eval = std::string(result.text_of("eval")), .sample = {}, .error = {}};
    std::string fault = fault_of_name(row.eval);
    const JsonValue* passed = result.find("passed");
    if (passed && passed->boolean())
      row.sample.passed = *passed->boolean();
    else
      fault = "a result has no `passed`";
    for (const Figure& figure : kFigures) {
      const auto value = result.number_of(figure.key);
      if (!value) continue;
      if (*value < 0 || *value > figure.most)
        fault = fmt::format("`{}` of a result is {}", figure.key, *value);
      row.sample.*figure.field = *value;
    }
    if (!fault.empty()) return report(Code::bad_document, file_, line, fault, out_);
    if (result.text_of("status") == kErrorStatus) row.error = shown_error(result.text_of("error"));
    run.rows.push_back(std::move(row));
  }

  std::string file_;
  base::Diagnostics& out_;
  std::vector<Run> runs_;
};

// Parses a table, RFC 4180, one row at a time. Cells over the limit are cut: only prompts and
// answers are that long, and nothing here needs them.
class TableReader {
 public:
  explicit TableReader(base::Input& input) : input_(input) {}

  // False at the end, or after an error, which is in `failure`.
  bool next(std::vector<std::string>& row) {
    row.assign(1, "");
    line_ = at_line_;
    bool quoted = false, any = false;
    for (int c = get(); c >= 0; c = get()) {
      any = true;
      if (quoted) {
        if (c != '"')
          keep(row.back(), c);
        else if (peek() == '"')
          keep(row.back(), get());
        else
          quoted = false;
      } else if (c == '"') {
        quoted = true;
      } else if (c == ',') {
        row.emplace_back();
      } else if (c == '\n') {
        return true;
      } else if (c != '\r' || peek() != '\n') {
        keep(row.back(), c);
      }
    }
    is_cut_ = quoted;
    return any && !failure;
  }

  std::uint64_t line() const { return line_; }  // of the row's start
  bool is_cut() const { return is_cut_; }       // the last row ended within quotes

  std::optional<base::Diagnostics> failure;

 private:
  static constexpr std::size_t kMostCell = 4096;

  static void keep(std::string& cell, int c) {
    if (cell.size() < kMostCell) cell += static_cast<char>(c);
  }

  int peek() {
    if (at_ == size_) {
      const auto read = input_.read(buffer_.data(), buffer_.size());
      if (!read) failure = read.error();
      at_ = 0;
      size_ = read ? *read : 0;
      if (size_ == 0) return -1;
    }
    return static_cast<unsigned char>(buffer_[at_]);
  }
  int get() {
    const int c = peek();
    if (c >= 0) ++at_;
    if (c == '\n') ++at_line_;
    return c;
  }

  base::Input& input_;
  std::string buffer_ = std::string(base::kChunk, '\0');
  std::size_t at_ = 0, size_ = 0;
  std::uint64_t line_ = 1, at_line_ = 1;
  bool is_cut_ = false;
};

// `capitals[2]` belongs to `capitals`; `eval 3` has no name.
std::string_view eval_of_cell(std::string_view cell) {
  // Without the quote, spreadsheets would take it for a formula.
  if (cell.size() > 1 && cell[0] == '\'' &&
      std::string_view("=+-@\t\r").find(cell[1]) != std::string_view::npos)
    cell.remove_prefix(1);
  const std::size_t open = cell.find('[');
  if (open != std::string_view::npos && open > 0 && cell.ends_with(']'))
    cell = cell.substr(0, open);
  constexpr std::string_view kUnnamed = "eval ";
  const bool unnamed =
      cell.starts_with(kUnnamed) && base::parse_integer(cell.substr(kUnnamed.size()));
  return unnamed ? std::string_view() : cell;
}

// Why the row cannot be read; empty: it was read.
std::string read_row(std::span<const std::string> columns, std::span<const std::string> cells,
                     Row& row) {
  if (cells.size() != columns.size())
    return fmt::format("the row has {} cells, not {}", cells.size(), columns.size());
  std::string_view error;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& cell = cells[i];
    if (columns[i] == "eval_name") {
      row.eval = eval_of_cell(cell);
      if (auto fault = fault_of_name(row.eval); !fault.empty()) return fault;
    } else if (columns[i] == "status") {
      if (cell != "passed" && cell != "failed" && cell != kErrorStatus)
        return fmt::format("`status` is `{}`, not `passed`, `failed` or `error`", shown_cell(cell));
      row.sample.passed = cell == "passed";
      if (cell == kErrorStatus) row.error.emplace();
    } else if (columns[i] == "error") {
      error = cell;
    }
    const auto figure = std::ranges::find(kFigures, columns[i], &Figure::key);
    if (figure == kFigures.end() || cell.empty()) continue;
    const auto value = base::parse_double(cell);
    if (!value || *value < 0 || *value > figure->most)
      return fmt::format("`{}` cannot be `{}`", columns[i], shown_cell(cell));
    row.sample.*figure->field = *value;
  }
  if (row.error) row.error = shown_error(error);
  return {};
}

}  // namespace

bool is_run(const Glance& glance) {
  const auto& members = glance.is_list ? glance.first_item : glance.members;
  return has_member(members, "suite_name") && has_member(members, "results_count") &&
         has_member(members, "evals_passed");
}

void read_run(base::Input input, const Choice& choice, score::Samples& samples,
              base::Diagnostics& out) {
  RunReader reader(input.name(), out);
  base::JsonStream stream(input);
  reader.read(stream);
  report(stream, input.name(), out);
  reader.finish(choice, samples);
}

bool is_run_table(const Glance& glance) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(glance.columns, name) != glance.columns.end();
  };
  return has("eval_name") && has("status");
}

void read_run_table(base::Input input, const Choice&, score::Samples& samples,
                    base::Diagnostics& out) {
  const std::string name = input.name();
  TableReader table(input);
  std::vector<std::string> columns, cells;
  table.next(columns);
  if (columns[0].starts_with(base::kByteOrderMark))
    columns[0].erase(0, base::kByteOrderMark.size());
  while (table.next(cells)) {
    if (cells.size() == 1 && cells[0].empty()) continue;
    Row row;
    std::string fault = table.is_cut() ? "a quote in the row that begins here is not closed"
                                       : read_row(columns, cells, row);
    if (fault.empty())
      add_row(row, samples);
    else
      report(Code::bad_document, name, table.line(), std::move(fault), out);
  }
  if (table.failure) out.append(*table.failure);
}

}  // namespace vibe::results
