// What was measured of runs, read in order, and the scores that are kept.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "store/run_conditions.h"
#include "store/schema.h"
#include "store/sqlite_roles.h"

namespace vibe::store {

using base::Code;
using score::RunStatus;

namespace {

// Only the statuses that are not `completed`.
Statuses exceptional(Statuses status) {
  std::erase(status, fmt::format("'{}'", to_string(RunStatus::completed)));
  return status;
}

bool wants_all(const Statuses& status, const Filter& filter) {
  return is_any(status) && filter.conditions().empty();
}

std::size_t count_matching(Database& db, const Statuses& status, const Filter& filter) {
  Query query =
      db.query(wants_all(status, filter) ? "SELECT coalesce(sum(runs), 0) FROM run_counts"
                                         : fmt::format("SELECT count(*) FROM runs WHERE {}{}",
                                                       condition(status), filter.conditions()));
  filter.bind(query);
  return query.step() ? static_cast<std::size_t>(query.read_integer()) : 0;
}

// The condition of the index `runs_in_part`, to the letter.
constexpr const char* kIsPart =
    "CASE WHEN json_valid(CAST(parameters AS TEXT)) "
    "THEN json_array_length(CAST(parameters AS TEXT), '$.only') > 0 END";

constexpr const char* kExceptional =
    "SELECT number, status, results > 0 AND errors = results, "
    "EXISTS (SELECT 1 FROM run_inputs WHERE run = number), score FROM runs ";

bool read_exceptional(Query& row, ExceptionalRun& run) {
  run.number = row.read_integer();
  const auto status = score::run_status(row.read_view());
  run.status = status.value_or(run.status);
  run.is_all_errors = row.read_integer() != 0;
  run.is_measured = row.read_integer() != 0;
  run.score = row.read_optional_real();
  return status.has_value();
}

}  // namespace

std::vector<ExceptionalRun> SqliteRescoring::exceptions(const RunQuery& filter) {
  std::vector<ExceptionalRun> out;
  const Filter conditions = filter_of(filter);
  const Statuses status = exceptional(statuses_of(filter));
  if (!status.empty()) {
    Query row = db_.query(fmt::format("{}WHERE status IN ({}){} ORDER BY number", kExceptional,
                                      fmt::join(status, ", "), conditions.conditions()));
    conditions.bind(row);
    while (row.step())
      if (!read_exceptional(row, out.emplace_back())) session_.fail_damaged("run");
  }
  // Parts of suites, which are few, whatever the query wants.
  std::vector<ExceptionalRun> parts;
  Query part = db_.query(
      fmt::format("{}INDEXED BY runs_in_part WHERE {} ORDER BY number", kExceptional, kIsPart));
  while (part.step()) {
    if (!read_exceptional(part, parts.emplace_back())) session_.fail_damaged("run");
    parts.back().is_part = true;
  }
  for (const auto& one : parts) {
    const auto known = std::ranges::lower_bound(out, one.number, {}, &ExceptionalRun::number);
    if (known != out.end() && known->number == one.number)
      known->is_part = true;
    else if (one.status == RunStatus::completed && one.is_measured)
      out.insert(known, one);
  }
  return out;
}

bool SqliteRescoring::visit_measured(const RunQuery& filter, RunVisitor& visitor,
                                     std::size_t& seen) {
  const Filter conditions = filter_of(filter);
  const Statuses status = statuses_of(filter);
  Query row = db_.query(
      wants_all(status, conditions)
          ? "SELECT run, layout, score, min_score, inputs FROM run_inputs ORDER BY run"
          : fmt::format("SELECT run, layout, score, min_score, inputs FROM run_inputs WHERE run IN "
                        "(SELECT number FROM runs WHERE {}{}) ORDER BY run",
                        condition(status), conditions.conditions()));
  conditions.bind(row);
  while (row.step()) {
    MeasuredRun run;
    run.number = row.read_integer();
    run.layout = row.read_integer();
    run.score = row.read_optional_real();
    run.min_score = row.read_optional_real();
    run.inputs = row.read_view();
    ++seen;
    if (!visitor.on_run(run)) return false;
  }
  return true;
}

void SqliteRescoring::visit_unmeasured(const RunQuery& filter, RunVisitor& visitor) {
  RunQuery completed = filter;
  completed.status = {RunStatus::completed};
  const Filter conditions = filter_of(completed);
  Query row = db_.query(fmt::format(
      "{}WHERE status = '{}'{} AND NOT EXISTS (SELECT 1 FROM run_inputs WHERE run = number)",
      kExceptional, to_string(RunStatus::completed), conditions.conditions()));
  conditions.bind(row);
  while (row.step()) {
    ExceptionalRun run;
    if (!read_exceptional(row, run)) session_.fail_damaged("run");
    visitor.on_unmeasured(run);
  }
}

base::Result<void> SqliteRescoring::visit(const RunQuery& filter, RunVisitor& visitor) {
  Transaction transaction(db_, Transaction::Kind::read);
  const Statuses status = statuses_of(filter);
  if (status.empty()) {
    visitor.on_begin(0, {});
  } else {
    const std::size_t all = count_matching(db_, status, filter_of(filter));
    auto unlike = exceptions(filter);
    std::size_t seen =
        static_cast<std::size_t>(std::ranges::count(unlike, false, &ExceptionalRun::is_measured));
    if (!db_.failed()) visitor.on_begin(all, std::move(unlike));
    const bool is_whole = !db_.failed() && visit_measured(filter, visitor, seen);
    if (is_whole && seen < all) visit_unmeasured(filter, visitor);
  }
  transaction.commit();
  return db_.result();
}

base::Result<std::vector<StoredLayout>> SqliteRescoring::layouts() {
  Query row = db_.query("SELECT number, layout FROM input_layouts ORDER BY number");
  std::vector<StoredLayout> out;
  while (row.step()) {
    const std::int64_t number = row.read_integer();
    out.push_back({number, row.read_text()});
  }
  return db_.result(std::move(out));
}

base::Result<std::string> SqliteRescoring::figures(RunNumber run) {
  Query row = db_.query("SELECT figures FROM run_figures WHERE run = ?");
  std::string out = row.integer(run).step() ? row.read_text() : std::string();
  return db_.result(std::move(out));
}

base::Result<std::vector<RunLabel>> SqliteRescoring::labels(std::span<const RunNumber> runs) {
  std::vector<RunLabel> out;
  out.reserve(runs.size());
  for (const RunNumber number : runs) {
    Query row = db_.query("SELECT id, suite, model, created_at FROM runs WHERE number = ?");
    if (!row.integer(number).step()) continue;
    RunLabel& label = out.emplace_back();
    label.number = number;
    label.id = row.read_view();
    label.suite = row.read_view();
    label.model = row.read_view();
    label.created_at = row.read_integer();
  }
  return db_.result(std::move(out));
}

// Its number; none: the name is new.
std::optional<std::int64_t> SqliteRescoring::find_kept(const KeptFormula& formula) {
  Query row = db_.query("SELECT number, formula, definition FROM kept_formulas WHERE name = ?");
  if (!row.text(formula.name).step()) return std::nullopt;
  const std::int64_t number = row.read_integer();
  const std::string text = row.read_text();
  if (row.read_view() != formula.definition)
    db_.fail(Code::conflict,
             fmt::format("scores by another formula are kept as `{}`: `{}`{}",
                         base::printable(formula.name), base::printable(text),
                         text == formula.formula ? ", with other metrics" : ""),
             "choose another name");
  return number;
}

base::Result<void> SqliteRescoring::check_kept(const KeptFormula& formula) {
  static_cast<void>(find_kept(formula));
  return db_.result();
}

base::Result<void> SqliteRescoring::keep(const KeptFormula& formula,
                                         std::span<const NewScore> scores) {
  Transaction transaction(db_, Transaction::Kind::write);
  auto number = find_kept(formula);
  if (!number && !db_.failed()) {
    db_.query("INSERT INTO kept_formulas (name, formula, definition, kept_at) VALUES (?, ?, ?, ?)")
        .text(formula.name)
        .blob(formula.formula)
        .blob(formula.definition)
        .integer(session_.now())
        .run();
    number = db_.last_row();
  }
  for (const NewScore& one : scores)
    db_.query(
           "INSERT INTO kept_scores (run, formula, score, error) "
           "SELECT number, ?, ?, ? FROM runs WHERE number = ? "
           "ON CONFLICT (run, formula) DO UPDATE SET score = excluded.score, error = "
           "excluded.error")
        .integer(number)
        .real(one.score)
        .blob(one.error)
        .integer(one.number)
        .run();
  transaction.commit();
  return db_.result();
}

}  // namespace vibe::store
