// Tenants: the organisations of a server, each with its store, and the directory of who may use
// them. Stores are opened when they are wanted, lent out, and kept for the next. The first
// organisation has the store of the user who began (`HOME/vibecheck.db`), so that what was run
// before the server is there; others have `HOME/organisations/ID/vibecheck.db`. Safe from any
// thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/local.h"
#include "base/crypto.h"
#include "base/diagnostic.h"
#include "store/directory.h"

namespace vibe::app {

class Tenants {
 public:
  // A thing that is lent to one thread, and goes back when this ends, which may be after the end
  // of the Tenants.
  template <class Thing>
  using Lent = std::unique_ptr<Thing, std::function<void(Thing*)>>;

  // Makes what is missing: the folder, the directory, the key. Looks at the store of every
  // organisation: brings it up to date, marks runs whose process is gone. Code::store_key where
  // there are secrets, but not the key that they were sealed with.
  static base::Result<std::unique_ptr<Tenants>> open(const config::Config& config,
                                                     const Permissions& permissions);
  virtual ~Tenants() = default;

  virtual base::Result<Lent<store::Directory>> directory() = 0;
  // Configuration, permissions and store of an organisation, by its id. Code::not_found
  virtual base::Result<Lent<Local>> local(std::string_view organisation) = 0;

  virtual const base::SealKey& master_key() const = 0;
};

}  // namespace vibe::app
