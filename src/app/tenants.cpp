#include "app/tenants.h"

#include <filesystem>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "app/master_key.h"
#include "base/text.h"
#include "base/time.h"
#include "store/sqlite.h"
#include "store/sqlite_directory.h"

namespace vibe::app {

using base::Code;

namespace {

// Things that nobody uses at the moment, by a name; of too many, the one that was not wanted for
// the longest time is closed.
template <class Thing>
class Shelf {
 public:
  explicit Shelf(std::size_t most) : most_(most) {}

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
    std::list<Entry> closed;  // after the lock is let go of: closing a store takes its time
    const std::lock_guard lock(mutex_);
    idle_.emplace_front(name, std::move(thing));
    if (idle_.size() > most_) closed.splice(closed.end(), idle_, std::prev(idle_.end()));
  }

 private:
  using Entry = std::pair<std::string, std::unique_ptr<Thing>>;

  std::size_t most_;
  std::mutex mutex_;
  std::list<Entry> idle_;  // the one that came back last comes first
};

template <class Thing>
Tenants::Lent<Thing> lend(std::shared_ptr<Shelf<Thing>> shelf, std::string name,
                          std::unique_ptr<Thing> thing) {
  return {thing.release(), [shelf = std::move(shelf), name = std::move(name)](Thing* back) {
            shelf->put(name, std::unique_ptr<Thing>(back));
          }};
}

class OpenTenants final : public Tenants {
 public:
  OpenTenants(const config::Config& config, const Permissions& permissions,
              const base::SealKey& key)
      : config_(config), permissions_(permissions), key_(key) {}

  base::Result<Lent<store::Directory>> directory() override {
    if (auto idle = directories_->take("")) return lend(directories_, "", std::move(idle));
    auto opened = store::open_directory(config_.home);
    if (!opened) return tl::unexpected(std::move(opened.error()));
    return lend(directories_, "", *std::move(opened));
  }

  base::Result<Lent<Local>> local(std::string_view organisation) override {
    if (auto idle = locals_->take(organisation))
      return lend(locals_, std::string(organisation), std::move(idle));
    const auto folder = folder_of(organisation);
    if (!folder) return tl::unexpected(folder.error());
    auto store = store::open_sqlite(*folder, {.key = key_});
    if (!store) return tl::unexpected(std::move(store.error()));
    return lend(locals_, std::string(organisation),
                std::make_unique<Local>(Local{config_, *std::move(store), permissions_}));
  }

  const base::SealKey& master_key() const override { return key_; }

  // Every store, before the server begins.
  base::Result<void> look_at_all() {
    auto directory = this->directory();
    if (!directory) return tl::unexpected(std::move(directory.error()));
    const auto organisations = (*directory)->organisations();
    if (!organisations) return tl::unexpected(organisations.error());
    for (const auto& one : *organisations)
      if (auto looked = look_at(one); !looked) return looked;
    return {};
  }

 private:
  base::Result<void> look_at(const store::Organisation& organisation) {
    auto local = this->local(organisation.id);
    if (!local) return tl::unexpected(std::move(local.error()));
    store::Store& store = *(*local)->store;
    const auto opens = opens_secrets(store);
    if (!opens) return tl::unexpected(opens.error());
    if (!*opens)
      return base::fail(
          Code::store_key, {},
          fmt::format("the master key, of {}, does not open the secrets of organisation `{}`",
                      master_key_place(config_.home), organisation.slug),
          "give the key that they were sealed with");
    if (const auto marked = store.mark_interrupted(base::now_millis()); !marked)
      return tl::unexpected(marked.error());
    return {};
  }

  // Where the store of an organisation is: nothing but an id of the directory becomes a name.
  base::Result<std::string> folder_of(std::string_view id) {
    const auto unknown = [&] {
      return base::fail(Code::not_found, {},
                        fmt::format("there is no organisation `{}`", base::printable(id)));
    };
    if (!base::is_uuid(id)) return unknown();
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = folders_.find(id); found != folders_.end()) return found->second;
    }
    auto directory = this->directory();
    if (!directory) return tl::unexpected(std::move(directory.error()));
    const auto organisation = (*directory)->organisation(id);
    if (!organisation) return tl::unexpected(organisation.error());
    if (!*organisation) return unknown();
    const std::string& folder = (*organisation)->folder;
    if (!folder.empty() && folder != fmt::format("organisations/{}", id))
      return base::fail(Code::store_damaged, {},
                        fmt::format("the store of organisation `{}` is said to be in `{}`",
                                    (*organisation)->slug, base::printable(folder)));
    const std::string path =
        folder.empty() ? config_.home : (std::filesystem::path(config_.home) / folder).string();
    const std::lock_guard lock(mutex_);
    return folders_.emplace(id, path).first->second;
  }

  static constexpr std::size_t kIdleDirectories = 16, kIdleStores = 64;

  const config::Config config_;
  const Permissions permissions_;
  const base::SealKey key_;
  // Shared with what is lent.
  std::shared_ptr<Shelf<store::Directory>> directories_ =
      std::make_shared<Shelf<store::Directory>>(kIdleDirectories);
  std::shared_ptr<Shelf<Local>> locals_ = std::make_shared<Shelf<Local>>(kIdleStores);
  std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> folders_;  // by the ids of organisations
};

}  // namespace

base::Result<std::unique_ptr<Tenants>> Tenants::open(const config::Config& config,
                                                     const Permissions& permissions) {
  const auto directory = store::open_directory(config.home);
  if (!directory) return tl::unexpected(directory.error());
  const auto key = open_master_key(config.home, **directory);
  if (!key) return tl::unexpected(key.error());
  auto tenants = std::make_unique<OpenTenants>(config, permissions, *key);
  if (auto looked = tenants->look_at_all(); !looked)
    return tl::unexpected(std::move(looked.error()));
  return tenants;
}

}  // namespace vibe::app
