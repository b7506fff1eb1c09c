// Variables, secrets, the answers of models and embeddings.
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "store/key_file.h"
#include "store/sqlite_store.h"

namespace vibe::store {

using base::Code;

base::Result<void> SqliteStore::set_variable(std::string_view name, std::string_view value) {
  if (auto checked = check_variable(name, value); !checked) return checked;
  db_.query("INSERT OR REPLACE INTO variables VALUES (?, ?)").text(name).blob(value).run();
  return db_.result();
}

base::Result<std::optional<std::string>> SqliteStore::variable(std::string_view name) {
  Query query = db_.query("SELECT value FROM variables WHERE name = ?");
  std::optional<std::string> found;
  if (query.text(name).step()) found = query.read_text();
  return db_.result(std::move(found));
}

base::Result<std::vector<Variable>> SqliteStore::variables() {
  Query query = db_.query("SELECT name, value FROM variables ORDER BY name");
  std::vector<Variable> out;
  while (query.step()) {
    Variable& variable = out.emplace_back();
    variable.name = query.read_text();
    variable.value = query.read_text();
  }
  return db_.result(std::move(out));
}

base::Result<bool> SqliteStore::delete_variable(std::string_view name) {
  db_.query("DELETE FROM variables WHERE name = ?").text(name).run();
  return db_.result(!db_.failed() && db_.changes() > 0);
}

void SqliteStore::fail_key(std::string_view why) {
  if (key_.given)
    db_.fail(Code::store_key, fmt::format("the key of the secrets that was given {}", why),
             "give the one that they were sealed with; or delete the secrets, and set them anew");
  else
    db_.fail(Code::store_key, fmt::format("the key of the secrets, `{}`, {}", key_.file, why),
             "restore the file; or delete the secrets, and set them anew");
}

std::optional<base::SealKey> SqliteStore::key() {
  if (db_.failed()) return std::nullopt;
  if (key_.given) return key_.given;
  auto key = read_key(key_.file);
  if (key) return *key;
  db_.fail(std::move(key.error()));
  return std::nullopt;
}

// Whether there is no secret, or the key opens one of them.
bool SqliteStore::opens_secrets(const base::SealKey& key) {
  Query query = db_.query("SELECT name, sealed FROM secrets LIMIT 1");
  if (!query.step()) return true;
  const std::string name = query.read_text();
  return base::unseal(key, query.read_text(), name).has_value();
}

std::optional<base::SealKey> SqliteStore::sealing_key() {
  auto key = this->key();
  if (key && !opens_secrets(*key)) fail_key("is not the one that they were sealed with");
  if (key || db_.failed()) return key;
  if (db_.query("SELECT 1 FROM secrets LIMIT 1").step()) fail_key("is missing");
  if (db_.failed()) return std::nullopt;
  auto made = make_key(key_.file);
  if (made) return *made;
  db_.fail(std::move(made.error()));
  return std::nullopt;
}

base::Result<void> SqliteStore::set_secret(std::string_view name, std::string_view value) {
  if (auto checked = check_secret(name, value); !checked) return checked;
  Transaction transaction(db_, Transaction::Kind::write);  // so that only one makes the key
  const auto key = sealing_key();
  const std::string sealed = key ? base::seal(*key, value, name) : std::string();
  db_.query("INSERT OR REPLACE INTO secrets VALUES (?, ?)").text(name).blob(sealed).run();
  transaction.commit();
  return db_.result();
}

base::Result<std::optional<std::string>> SqliteStore::secret(std::string_view name) {
  std::optional<std::string> found;
  Query query = db_.query("SELECT sealed FROM secrets WHERE name = ?");
  if (query.text(name).step()) {
    const auto key = this->key();
    if (key) found = base::unseal(*key, query.read_text(), name);
    if (!key)
      fail_key("is missing");
    else if (!found)
      fail_key(fmt::format("does not open secret `{}`", name));
  }
  return db_.result(std::move(found));
}

base::Result<std::vector<std::string>> SqliteStore::secrets() {
  Query query = db_.query("SELECT name FROM secrets ORDER BY name");
  std::vector<std::string> out;
  while (query.step()) out.push_back(query.read_text());
  return db_.result(std::move(out));
}

base::Result<bool> SqliteStore::delete_secret(std::string_view name) {
  db_.query("DELETE FROM secrets WHERE name = ?").text(name).run();
  return db_.result(!db_.failed() && db_.changes() > 0);
}

base::Result<std::optional<std::string>> SqliteStore::answer(std::string_view key) {
  Query query = db_.query("SELECT answer FROM answers WHERE key = ?");
  std::optional<std::string> found;
  if (query.text(key).step()) found = query.read_text();
  return db_.result(std::move(found));
}

base::Result<void> SqliteStore::keep_answer(std::string_view key, std::string_view answer) {
  db_.query("INSERT OR REPLACE INTO answers VALUES (?, ?)").text(key).blob(answer).run();
  return db_.result();
}

static_assert(std::endian::native == std::endian::little, "vectors are kept as they are");

base::Result<std::optional<Embedding>> SqliteStore::embedding(std::string_view key) {
  Query query = db_.query("SELECT vector, tokens, cost FROM embeddings WHERE key = ?");
  std::optional<Embedding> found;
  if (query.text(key).step()) {
    const std::string bytes = query.read_text();
    found.emplace();
    found->vector.resize(bytes.size() / sizeof(float));
    std::memcpy(found->vector.data(), bytes.data(), found->vector.size() * sizeof(float));
    found->tokens = query.read_optional_integer();
    found->cost = query.read_optional_real();
  }
  return db_.result(std::move(found));
}

base::Result<void> SqliteStore::keep_embedding(std::string_view key, const Embedding& embedding) {
  const auto& vector = embedding.vector;
  std::string bytes(vector.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), vector.data(), bytes.size());
  db_.query("INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?, ?)")
      .text(key)
      .blob(bytes)
      .integer(embedding.tokens)
      .real(embedding.cost)
      .run();
  return db_.result();
}

}  // namespace vibe::store
