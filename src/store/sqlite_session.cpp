#include "store/sqlite_session.h"

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "store/key_file.h"
#include "store/locks.h"
#include "store/open_database.h"
#include "store/shape_row.h"

namespace vibe::store {

using base::Code;
using score::Run;

namespace {

constexpr std::size_t kLeastPrefix = 4, kMostCandidates = 5;
constexpr std::size_t kMostNumbers = 1'000;  // in the cache

// Eight bytes each, lowest first.
std::string to_bytes(std::span<const double> values) {
  static_assert(std::endian::native == std::endian::little);
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace

const std::string& run_columns() {
  static const std::string columns = columns_of<Run>();
  return columns;
}

bool read_run_row(Query& row, Run& run) { return read_row(row, run); }

const std::string& unfinished() {
  static const std::string condition = [] {
    std::vector<std::string_view> names;
    for (const auto status : score::unfinished_statuses()) names.push_back(to_string(status));
    return fmt::format("status IN ('{}')", fmt::join(names, "', '"));
  }();
  return condition;
}

void SqliteSession::fail_damaged(std::string_view what) {
  db().fail(Code::store_damaged, fmt::format("the store `{}` has a damaged {}", db().path(), what));
}

void SqliteSession::fail_held(std::string why) {
  db().fail(Code::run_held, std::move(why),
            "wait until it is finished, or stop it with `vibe stop`");
}

std::int64_t SqliteSession::run_number(std::string_view id) {
  const auto known = numbers_.find(std::string(id));
  if (known != numbers_.end()) return known->second;
  Query query = db().query("SELECT number FROM runs WHERE id = ?");
  if (query.text(id).step()) {
    const std::int64_t number = query.read_integer();
    if (numbers_.size() >= kMostNumbers) numbers_.clear();
    numbers_.emplace(id, number);
    return number;
  }
  db().fail(Code::not_found, fmt::format("there is no run `{}`", id),
            "`vibe get runs` lists the runs");
  return 0;
}

std::optional<std::int64_t> SqliteSession::find(std::string_view table, std::string_view id) {
  Query exact = db().query(fmt::format("SELECT number FROM {} WHERE id = ?", table));
  if (exact.text(id).step()) return exact.read_integer();
  if (id.size() < kLeastPrefix) return std::nullopt;

  const std::string end = std::string(id) + "\xff";
  Query query =
      db().query(fmt::format("SELECT number, id FROM {} WHERE id > ? AND id < ? LIMIT ?", table));
  query.text(id).text(end).integer(kMostCandidates + 1);
  std::optional<std::int64_t> found;
  std::vector<std::string> candidates;
  while (query.step()) {
    found = query.read_integer();
    candidates.push_back(query.read_text());
  }
  if (candidates.size() <= 1) return found;
  std::string list;
  for (std::size_t i = 0; i < std::min(candidates.size(), kMostCandidates); ++i)
    list += fmt::format("{}`{}`", i == 0 ? "" : ", ", candidates[i]);
  if (candidates.size() > kMostCandidates) list += ", …";
  db().fail(Code::bad_usage, fmt::format("several {} begin with `{}`: {}", table, id, list),
            "give more characters of the id");
  return std::nullopt;
}

std::unique_ptr<RunLock> SqliteSession::lock(std::int64_t byte) {
  if (db().failed()) return nullptr;
  auto lock = try_lock(lock_path(folder_), byte);
  if (lock) return std::move(*lock);
  db().fail(std::move(lock.error()));
  return nullptr;
}

void SqliteSession::keep_run_texts(std::int64_t number, const Run& run) {
  const std::int64_t text = text_number(run.suite_text);
  db().query("INSERT OR REPLACE INTO run_texts VALUES (?, ?, ?)")
      .integer(number)
      .integer(text)
      .blob(run.explanation)
      .run();
}

void SqliteSession::store_measured(std::int64_t number, const score::Measured& measured) {
  for (const auto* table : {"run_figures", "run_inputs", "unmeasured_runs", "kept_scores"})
    db().query(fmt::format("DELETE FROM {} WHERE run = ?", table)).integer(number).run();
  if (measured.figures.empty()) return;
  db().query("INSERT INTO run_figures VALUES (?, ?)").integer(number).blob(measured.figures).run();
  const std::int64_t layout = layout_number(measured.layout);
  db().query(
          "INSERT INTO run_inputs SELECT number, ?, score, min_score, ? FROM runs "
          "WHERE number = ?")
      .integer(layout)
      .blob(to_bytes(measured.inputs))
      .integer(number)
      .run();
}

std::int64_t SqliteSession::layout_number(std::string_view layout) {
  const std::string hash = base::hash(layout);
  {
    Query known = db().query("SELECT number FROM input_layouts WHERE hash = ?");
    if (known.text(hash).step()) return known.read_integer();
  }
  db().query("INSERT INTO input_layouts (hash, layout) VALUES (?, ?)")
      .text(hash)
      .blob(layout)
      .run();
  return db().last_row();
}

std::int64_t SqliteSession::insert_run(const Run& run) {
  static const std::string kInsert =
      fmt::format("INSERT INTO runs ({}) VALUES ({})", run_columns(), parameters_of<Run>());
  {
    BoundTexts texts;
    Query insert = db().query(kInsert);
    bind_row(insert, run, texts);
    insert.run();
  }
  const std::int64_t number = db().last_row();
  keep_run_texts(number, run);
  db().query("UPDATE suites SET last_run_at = max(coalesce(last_run_at, ?1), ?1) WHERE name = ?2")
      .integer(run.created_at)
      .text(run.suite_name)
      .run();
  return number;
}

void SqliteSession::overwrite_run(std::int64_t number, const Run& run) {
  static const std::string kUpdate = fmt::format("UPDATE runs SET ({}) = ({}) WHERE number = ?",
                                                 run_columns(), parameters_of<Run>());
  {
    BoundTexts texts;
    Query update = db().query(kUpdate);
    bind_row(update, run, texts);
    update.integer(number).run();
  }
  keep_run_texts(number, run);
}

std::optional<Run> SqliteSession::read_run(std::int64_t number) {
  static const std::string kSelect =
      fmt::format("SELECT {} FROM runs WHERE number = ?", run_columns());
  Query row = db().query(kSelect);
  if (!row.integer(number).step()) return std::nullopt;
  Run run;
  if (!read_run_row(row, run)) fail_damaged("run");
  Query texts = db().query(
      "SELECT text, explanation FROM run_texts JOIN texts ON texts.number = suite_text "
      "WHERE run = ?");
  if (texts.integer(number).step()) {
    run.suite_text = texts.read_text();
    run.explanation = texts.read_text();
  }
  Query kept = db().query(
      "SELECT name, kept_formulas.formula, score, error FROM kept_scores "
      "JOIN kept_formulas ON number = kept_scores.formula WHERE run = ? ORDER BY name");
  kept.integer(number);
  while (kept.step()) {
    auto& score = run.kept_scores.emplace_back();
    score.name = kept.read_view();
    score.formula = kept.read_view();
    score.value = kept.read_optional_real();
    score.error = kept.read_view();
  }
  return run;
}

void SqliteSession::fail_lease(std::string_view run) {
  db().fail(Code::lease_lost,
            fmt::format("this worker no longer holds the lease on run `{}`", run));
}

void SqliteSession::check_hold(const Hold& hold, std::int64_t number) {
  Query job = db().query("SELECT claim FROM jobs WHERE run = ?");
  const bool is_queued = job.integer(number).step();
  const bool is_live =
      is_queued ? hold.token != 0 && job.read_integer() == hold.token : hold.token == 0;
  if (!is_live && !db().failed()) fail_lease(hold.run);
}

// ---- the key for the secrets

void SqliteSession::fail_key(std::string_view why) {
  if (key_.given)
    db().fail(Code::store_key, fmt::format("the given key for the secrets {}", why),
              "use the key they were encrypted with, or delete the secrets and set them again");
  else
    db().fail(Code::store_key, fmt::format("the key for the secrets, `{}`, {}", key_.file, why),
              "restore the file, or delete the secrets and set them again");
}

std::optional<base::SealKey> SqliteSession::key() {
  if (db().failed()) return std::nullopt;
  if (key_.given) return key_.given;
  auto key = read_key(key_.file);
  if (key) return *key;
  db().fail(std::move(key.error()));
  return std::nullopt;
}

// Whether there is no secret, or the key opens one of them.
bool SqliteSession::opens_secrets(const base::SealKey& key) {
  Query query = db().query("SELECT name, sealed FROM secrets LIMIT 1");
  if (!query.step()) return true;
  const std::string name = query.read_text();
  return base::unseal(key, query.read_text(), name).has_value();
}

std::optional<base::SealKey> SqliteSession::sealing_key() {
  auto key = this->key();
  if (key && !opens_secrets(*key)) fail_key("is not the key they were encrypted with");
  if (key || db().failed()) return key;
  if (db().query("SELECT 1 FROM secrets LIMIT 1").step()) fail_key("is missing");
  if (db().failed()) return std::nullopt;
  auto made = make_key(key_.file);
  if (made) return *made;
  db().fail(std::move(made.error()));
  return std::nullopt;
}

// ---- texts

std::int64_t SqliteSession::text_number(std::string_view text) {
  const std::string hash = base::hash(text);
  {
    Query known = db().query("SELECT number FROM texts WHERE hash = ?");
    if (known.text(hash).step()) return known.read_integer();
  }
  db().query("INSERT INTO texts (hash, text) VALUES (?, ?)").text(hash).blob(text).run();
  return db().last_row();
}

}  // namespace vibe::store
