// Backend: where a server keeps everything: the directory of who may use it, the accounts, and a
// Store for each organisation. SQLite files in a folder (sqlite.h) are one. Safe from any thread;
// what it opens belongs to one thread each.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "store/accounts.h"
#include "store/archive.h"
#include "store/cache.h"
#include "store/directory.h"
#include "store/events.h"
#include "store/feed.h"
#include "store/journal.h"
#include "store/queue.h"

namespace vibe::store {

// The values of secrets, for runs alone.
class Vault {
 public:
  virtual ~Vault() = default;
  virtual base::Result<std::optional<std::string>> open(std::string_view name) = 0;
};

// Everything that is kept of one user or organisation, by the role of who wants it. Nothing here
// reaches another organisation's.
class Store {
 public:
  virtual ~Store() = default;
  virtual Archive& archive() = 0;
  virtual Journal& journal() = 0;
  virtual Feed& feed() = 0;
  virtual Queue& queue() = 0;
  virtual Cache& cache() = 0;
  virtual Vault& vault() = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual base::Result<std::unique_ptr<Directory>> directory() = 0;
  virtual base::Result<std::unique_ptr<Accounts>> accounts() = 0;
  virtual base::Result<std::unique_ptr<Store>> store(std::string_view organisation) = 0;  // its id
  virtual Events& events() = 0;
};

}  // namespace vibe::store
