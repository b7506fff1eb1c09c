// Tenants: a server's organisations with their stores, the directory, and the accounts. Opened
// objects are pooled: a thread borrows one and returns it. Safe from any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/local.h"
#include "base/crypto.h"
#include "base/diagnostic.h"
#include "store/backend.h"

namespace vibe::app {

class Tenants {
 public:
  // A thing that one thread borrows. It is returned when this is destroyed, which may be after the
  // Tenants.
  template <class Thing>
  using Borrowed = std::unique_ptr<Thing, std::function<void(Thing*)>>;

  // Creates what is missing: the folder, the directory, the key. Opens the store of every
  // organisation: upgrades it, marks runs whose process is gone. Code::store_key: there are
  // secrets, but not the key that sealed them.
  static base::Result<std::unique_ptr<Tenants>> open(const config::Config& config,
                                                     const Permissions& permissions);
  virtual ~Tenants() = default;

  virtual base::Result<Borrowed<store::Directory>> directory() = 0;
  virtual base::Result<Borrowed<store::Accounts>> accounts() = 0;
  // Configuration, permissions and store of an organisation, by its id. Code::not_found
  virtual base::Result<Borrowed<Local>> local(std::string_view organisation) = 0;

  virtual store::Events& events() = 0;  // for all organisations

  virtual const base::SealKey& master_key() const = 0;
};

}  // namespace vibe::app
