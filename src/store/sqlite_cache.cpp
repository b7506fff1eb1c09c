// Cached model answers and embeddings.
#include <bit>
#include <cstring>

#include "store/sqlite_roles.h"

namespace vibe::store {

base::Result<std::optional<std::string>> SqliteCache::answer(std::string_view key) {
  Query query = db_.query("SELECT answer FROM answers WHERE key = ?");
  std::optional<std::string> found;
  if (query.text(key).step()) found = query.read_text();
  return db_.result(std::move(found));
}

base::Result<void> SqliteCache::keep_answer(std::string_view key, std::string_view answer) {
  db_.query("INSERT OR REPLACE INTO answers VALUES (?, ?)").text(key).blob(answer).run();
  return db_.result();
}

static_assert(std::endian::native == std::endian::little, "vectors are kept as they are");

base::Result<std::optional<Embedding>> SqliteCache::embedding(std::string_view key) {
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

base::Result<void> SqliteCache::keep_embedding(std::string_view key, const Embedding& embedding) {
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
