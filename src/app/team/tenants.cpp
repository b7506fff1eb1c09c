#include "app/team/tenants.h"

#include <iterator>
#include <list>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "app/runs/measure_history.h"
#include "app/team/master_key.h"
#include "store/sqlite.h"

namespace vibe::app {

using base::Code;

namespace {

// Idle things by name; if there are too many, closes the least recently used.
template <class Thing>
class Pool {
 public:
  explicit Pool(std::size_t most) : most_(most) {}

  std::unique_ptr<Thing> take(std::string_view name) {
    const std::lock_guard lock(mutex_);
    for (auto one = idle_.begin(); one != idle_.end(); ++one) {
      if (one->first != name) continue;
      auto thing = std::move(one->second);
      idle_.erase(one);
      return thing;
    }
    return nullptr;
  }

  void put(const std::string& name, std::unique_ptr<Thing> thing) {
    std::list<Entry> closed;  // outside the lock: closing a store takes time
    const std::lock_guard lock(mutex_);
    idle_.emplace_front(name, std::move(thing));
    if (idle_.size() > most_) closed.splice(closed.end(), idle_, std::prev(idle_.end()));
  }

 private:
  using Entry = std::pair<std::string, std::unique_ptr<Thing>>;

  std::size_t most_;
  std::mutex mutex_;
  std::list<Entry> idle_;  // most recently returned first
};

// An idle one, or else a new one.
template <class Thing, class Open>
base::Result<Tenants::Borrowed<Thing>> borrow(std::shared_ptr<Pool<Thing>> pool,
                                              std::string_view name, const Open& open) {
  auto thing = pool->take(name);
  if (!thing) {
    VIBE_TRY(auto opened, open());
    thing = std::move(opened);
  }
  return Tenants::Borrowed<Thing>{thing.release(),
                                  [pool = std::move(pool), name = std::string(name)](Thing* back) {
                                    pool->put(name, std::unique_ptr<Thing>(back));
                                  }};
}

class OpenTenants final : public Tenants {
 public:
  OpenTenants(const config::Config& config, const Permissions& permissions,
              const base::SealKey& key)
      : config_(config),
        permissions_(permissions),
        key_(key),
        backend_(store::make_sqlite_backend(config.home, {.key = key})) {}

  base::Result<Borrowed<store::Directory>> directory() override {
    return borrow(directories_, "", [this] { return backend_->directory(); });
  }

  base::Result<Borrowed<store::Accounts>> accounts() override {
    return borrow(accounts_, "", [this] { return backend_->accounts(); });
  }

  base::Result<Borrowed<Local>> local(std::string_view organisation) override {
    return borrow(locals_, organisation, [&]() -> base::Result<std::unique_ptr<Local>> {
      VIBE_TRY(auto store, backend_->store(organisation));
      return std::make_unique<Local>(Local{config_, std::move(store), permissions_});
    });
  }

  store::Events& events() override { return backend_->events(); }

  const base::SealKey& master_key() const override { return key_; }

  // Checks every store before the server starts.
  base::Result<void> look_at_all() {
    VIBE_TRY(auto directory, this->directory());
    VIBE_TRY(const auto organisations, directory->organisations().list());
    for (const auto& one : organisations) {
      VIBE_TRY(look_at(one));
    }
    return {};
  }

 private:
  base::Result<void> look_at(const store::Organisation& organisation) {
    VIBE_TRY(auto local, this->local(organisation.id));
    store::Store& store = *local->store;
    VIBE_TRY(const auto opens, opens_secrets(store));
    if (!opens)
      return base::fail(
          Code::store_key, {},
          fmt::format("the master key, from {}, cannot decrypt the secrets of organisation `{}`",
                      master_key_place(config_.home), organisation.slug),
          "use the key they were encrypted with");
    VIBE_TRY(const auto interrupted, store.journal().mark_interrupted());
    VIBE_TRY(measure_history(store, {.most = interrupted, .files = permissions_.files}));
    return {};
  }

  static constexpr std::size_t kIdleDirectories = 16, kIdleStores = 64;

  const config::Config config_;
  const Permissions permissions_;
  const base::SealKey key_;
  const std::unique_ptr<store::Backend> backend_;
  // Shared with borrowed things.
  std::shared_ptr<Pool<store::Directory>> directories_ =
      std::make_shared<Pool<store::Directory>>(kIdleDirectories);
  std::shared_ptr<Pool<store::Accounts>> accounts_ =
      std::make_shared<Pool<store::Accounts>>(kIdleDirectories);
  std::shared_ptr<Pool<Local>> locals_ = std::make_shared<Pool<Local>>(kIdleStores);
};

}  // namespace

base::Result<std::unique_ptr<Tenants>> Tenants::open(const config::Config& config,
                                                     const Permissions& permissions) {
  VIBE_TRY(const auto directory, store::open_directory(config.home));
  VIBE_TRY(const auto key, open_master_key(config.home, *directory));
  auto tenants = std::make_unique<OpenTenants>(config, permissions, key);
  VIBE_TRY(tenants->look_at_all());
  return tenants;
}

}  // namespace vibe::app
