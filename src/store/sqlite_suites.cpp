// Suites and their versions.
#include "store/sqlite_roles.h"

namespace vibe::store {

namespace {

SuiteEntry read_entry(Query& row, bool with_text) {
  SuiteEntry entry;
  entry.name = row.read_text();
  entry.version = static_cast<std::uint32_t>(row.read_integer());
  entry.path = row.read_text();
  entry.evals = static_cast<std::uint32_t>(row.read_integer());
  entry.edited_at = row.read_integer();
  entry.last_run_at = row.read_optional_integer();
  if (with_text) entry.text = row.read_text();
  return entry;
}

}  // namespace

base::Result<std::uint32_t> SqliteSuites::save(const SuiteEntry& suite, Millis now) {
  Transaction transaction(db_, Transaction::Kind::write);
  db_.query(
         "INSERT INTO suites VALUES (?1, (SELECT max(created_at) FROM runs WHERE suite = ?1)) "
         "ON CONFLICT DO NOTHING")
      .text(suite.name)
      .run();
  const std::int64_t text = session_.text_number(suite.text);
  std::int64_t version = 0, last_text = 0;
  {
    Query last = db_.query(
        "SELECT version, text FROM suite_versions WHERE suite = ? ORDER BY version DESC LIMIT 1");
    if (last.text(suite.name).step()) {
      version = last.read_integer();
      last_text = last.read_integer();
    }
  }
  if (last_text == text) {
    db_.query("UPDATE suite_versions SET path = ?, evals = ? WHERE suite = ? AND version = ?")
        .blob(suite.path)
        .integer(suite.evals)
        .text(suite.name)
        .integer(version)
        .run();
  } else {
    db_.query("INSERT INTO suite_versions VALUES (?, ?, ?, ?, ?, ?)")
        .text(suite.name)
        .integer(++version)
        .integer(text)
        .blob(suite.path)
        .integer(suite.evals)
        .integer(now)
        .run();
  }
  transaction.commit();
  return db_.result(static_cast<std::uint32_t>(version));
}

base::Result<std::optional<SuiteEntry>> SqliteSuites::last(std::string_view name) {
  Query query = db_.query(
      "SELECT suite, version, path, evals, edited_at, last_run_at, texts.text FROM suite_versions "
      "JOIN suites ON name = suite JOIN texts ON texts.number = suite_versions.text "
      "WHERE suite = ? ORDER BY version DESC LIMIT 1");
  std::optional<SuiteEntry> found;
  if (query.text(name).step()) found = read_entry(query, true);
  return db_.result(std::move(found));
}

base::Result<std::optional<SuiteEntry>> SqliteSuites::version(std::string_view name,
                                                              std::uint32_t version) {
  Query query = db_.query(
      "SELECT suite, version, path, evals, edited_at, last_run_at, texts.text FROM suite_versions "
      "JOIN suites ON name = suite JOIN texts ON texts.number = suite_versions.text "
      "WHERE suite = ? AND version = ?");
  std::optional<SuiteEntry> found;
  if (query.text(name).integer(version).step()) found = read_entry(query, true);
  return db_.result(std::move(found));
}

base::Result<std::vector<SuiteEntry>> SqliteSuites::history(std::string_view name) {
  Query query = db_.query(
      "SELECT suite, version, path, evals, edited_at, last_run_at, texts.text FROM suite_versions "
      "JOIN suites ON name = suite JOIN texts ON texts.number = suite_versions.text "
      "WHERE suite = ? ORDER BY version DESC");
  query.text(name);
  std::vector<SuiteEntry> out;
  while (query.step()) out.push_back(read_entry(query, true));
  return db_.result(std::move(out));
}

base::Result<std::vector<SuiteEntry>> SqliteSuites::list() {
  Query query = db_.query(
      "SELECT name, version, path, evals, edited_at, last_run_at FROM suites "
      "JOIN suite_versions AS last ON suite = name "
      "WHERE version = (SELECT max(version) FROM suite_versions WHERE suite = name) ORDER BY name");
  std::vector<SuiteEntry> out;
  while (query.step()) out.push_back(read_entry(query, false));
  return db_.result(std::move(out));
}

}  // namespace vibe::store
