#include "app/team/master_key.h"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "base/environment.h"
#include "base/text.h"
#include "store/key_file.h"
#include "store/sqlite.h"

namespace vibe::app {

using base::Code;

namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "VIBECHECK_MASTER_KEY";

std::string key_file(const std::string& home) { return fs::path(home) / "secret.key"; }

std::string environment_text() {
  const char* text = std::getenv(kVariable);  // NOLINT(concurrency-mt-unsafe)
  return std::string(base::trim(text ? text : ""));
}

// Distinguishes keys, but reveals nothing about them.
std::string mark_of(const base::SealKey& key) {
  return base::keyed_hash(base::derive_key(key, "mark"), "");
}

// The store from before the server; null: there is none.
base::Result<std::unique_ptr<store::Store>> own_store(const std::string& home,
                                                      const std::optional<base::SealKey>& key) {
  std::error_code ignored;
  if (!fs::exists(fs::path(home) / "vibecheck.db", ignored)) return std::unique_ptr<store::Store>();
  return store::open_sqlite(home, {.key = key});
}

base::Result<base::SealKey> make_first_key(const std::string& home, bool is_marked) {
  VIBE_TRY(auto store, own_store(home, std::nullopt));
  base::Result<std::vector<std::string>> secrets{};
  if (store) secrets = store->archive().variables().secret_names();
  if (!secrets) return tl::unexpected(std::move(secrets.error()));
  if (is_marked || !secrets->empty())
    return base::fail(
        Code::store_key, {},
        fmt::format("there is no master key: `{}` is not set, and the file `{}` does not exist",
                    kVariable, key_file(home)),
        "set the variable or restore the file: existing secrets and API keys depend on this "
        "master key");
  return store::make_key(key_file(home));
}

// Called before a key makes its first hashes.
base::Result<void> check_own_secrets(const std::string& home, const base::SealKey& key) {
  VIBE_TRY(auto store, own_store(home, key));
  if (!store) return {};
  VIBE_TRY(const auto opens, opens_secrets(*store));
  if (opens) return {};
  return base::fail(Code::store_key, {},
                    fmt::format("the master key, from {}, cannot decrypt the secrets in `{}`",
                                master_key_place(home), home),
                    "use the key they were encrypted with, or delete them and set them again");
}

}  // namespace

std::string master_key_place(const std::string& home) {
  return fmt::format("`{}`", environment_text().empty() ? key_file(home) : kVariable);
}

base::Result<std::optional<base::SealKey>> environment_key() {
  const std::string text = environment_text();
  if (text.empty()) return std::optional<base::SealKey>();
  const auto key = base::parse_key(text);
  if (!key)
    return base::fail(
        Code::store_key, {}, fmt::format("`{}` is not a valid key", kVariable),
        "write 64 hex digits, or base64 of 32 bytes: `openssl rand -hex 32` makes one");
  return key;
}

void forget_environment_key() { base::forget_variable(kVariable); }

base::Result<bool> opens_secrets(store::Store& store) {
  VIBE_TRY(const auto names, store.archive().variables().secret_names());
  for (const auto& name : names) {
    const auto secret = store.vault().open(name);
    if (secret) continue;
    if (secret.error().has(Code::store_key)) return false;
    return tl::unexpected(secret.error());
  }
  return true;
}

base::Result<base::SealKey> open_master_key(const std::string& home, store::Directory& directory) {
  auto mark = directory.key_mark();
  if (!mark) return tl::unexpected(std::move(mark.error()));
  auto found = environment_key();
  if (found && !*found) found = store::read_key(key_file(home));
  if (!found) return tl::unexpected(std::move(found.error()));
  auto key = *found ? base::Result<base::SealKey>(**found) : make_first_key(home, !mark->empty());
  if (!key) return key;
  if (mark->empty()) {
    VIBE_TRY(check_own_secrets(home, *key));
    mark = directory.keep_key_mark(mark_of(*key));
    if (!mark) return tl::unexpected(std::move(mark.error()));
  }
  if (*mark != mark_of(*key))
    return base::fail(
        Code::store_key, {},
        fmt::format("the master key, from {}, is not the one this server's keys were hashed with",
                    master_key_place(home)),
        fmt::format("set the right one in `{}` or, if that is not set, in `{}`", kVariable,
                    key_file(home)));
  return key;
}

}  // namespace vibe::app
