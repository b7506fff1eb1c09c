// Variables and secrets.
#include <fmt/format.h>

#include "store/sqlite_roles.h"

namespace vibe::store {

base::Result<void> SqliteVariables::set(std::string_view name, std::string_view value) {
  VIBE_TRY(check_variable(name, value));
  db_.query("INSERT OR REPLACE INTO variables VALUES (?, ?)").text(name).blob(value).run();
  return db_.result();
}

base::Result<std::optional<std::string>> SqliteVariables::find(std::string_view name) {
  Query query = db_.query("SELECT value FROM variables WHERE name = ?");
  std::optional<std::string> found;
  if (query.text(name).step()) found = query.read_text();
  return db_.result(std::move(found));
}

base::Result<std::vector<Variable>> SqliteVariables::list() {
  Query query = db_.query("SELECT name, value FROM variables ORDER BY name");
  std::vector<Variable> out;
  while (query.step()) {
    Variable& variable = out.emplace_back();
    variable.name = query.read_text();
    variable.value = query.read_text();
  }
  return db_.result(std::move(out));
}

base::Result<bool> SqliteVariables::remove(std::string_view name) {
  db_.query("DELETE FROM variables WHERE name = ?").text(name).run();
  return db_.result(!db_.failed() && db_.changes() > 0);
}

base::Result<void> SqliteVariables::set_secret(std::string_view name, std::string_view value) {
  VIBE_TRY(check_secret(name, value));
  Transaction transaction(db_,
                          Transaction::Kind::write);  // so that only one process creates the key
  const auto key = session_.sealing_key();
  const std::string sealed = key ? base::seal(*key, value, name) : std::string();
  db_.query("INSERT OR REPLACE INTO secrets VALUES (?, ?)").text(name).blob(sealed).run();
  transaction.commit();
  return db_.result();
}

base::Result<std::optional<std::string>> SqliteVault::open(std::string_view name) {
  std::optional<std::string> found;
  Query query = db_.query("SELECT sealed FROM secrets WHERE name = ?");
  if (query.text(name).step()) {
    const auto key = session_.key();
    if (key) found = base::unseal(*key, query.read_text(), name);
    if (!key)
      session_.fail_key("is missing");
    else if (!found)
      session_.fail_key(fmt::format("cannot decrypt secret `{}`", name));
  }
  return db_.result(std::move(found));
}

base::Result<std::vector<std::string>> SqliteVariables::secret_names() {
  Query query = db_.query("SELECT name FROM secrets ORDER BY name");
  std::vector<std::string> out;
  while (query.step()) out.push_back(query.read_text());
  return db_.result(std::move(out));
}

base::Result<bool> SqliteVariables::remove_secret(std::string_view name) {
  db_.query("DELETE FROM secrets WHERE name = ?").text(name).run();
  return db_.result(!db_.failed() && db_.changes() > 0);
}

}  // namespace vibe::store
