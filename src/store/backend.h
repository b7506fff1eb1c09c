// Backend: where a server stores everything: the directory of organisations and keys, the accounts,
// and a Store per organisation. SQLite files in a folder (sqlite.h) are one backend. Safe from any
// thread; the objects it opens belong to one thread each.
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
#include "store/rescoring.h"

namespace vibe::store {

// The values of secrets, only for runs.
class Vault {
 public:
  virtual ~Vault() = default;
  virtual base::Result<std::optional<std::string>> open(std::string_view name) = 0;
};

// All data of one user or organisation, by role. Nothing here reaches another organisation's data.
class Store {
 public:
  virtual ~Store() = default;
  virtual Archive& archive() = 0;
  virtual Journal& journal() = 0;
  virtual Feed& feed() = 0;
  virtual Queue& queue() = 0;
  virtual Rescoring& rescoring() = 0;
  virtual Cache& cache() = 0;
  virtual Vault& vault() = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual base::Result<std::unique_ptr<Directory>> directory() = 0;
  virtual base::Result<std::unique_ptr<Accounts>> accounts() = 0;
  virtual base::Result<std::unique_ptr<Store>> store(
      std::string_view organisation) = 0;  // by its id
  virtual Events& events() = 0;
};

}  // namespace vibe::store
