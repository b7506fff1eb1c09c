#include "store/events.h"

#include <list>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace vibe::store {

namespace {

struct Listeners {
  std::shared_mutex mutex;  // held by publishers while listeners are called
  std::list<Events::Listener> all;
};

class LocalSubscription final : public Events::Subscription {
 public:
  LocalSubscription(std::shared_ptr<Listeners> listeners, Events::Listener listener)
      : listeners_(std::move(listeners)) {
    const std::lock_guard lock(listeners_->mutex);
    place_ = listeners_->all.insert(listeners_->all.end(), std::move(listener));
  }
  ~LocalSubscription() override {
    const std::lock_guard lock(listeners_->mutex);
    listeners_->all.erase(place_);
  }
  LocalSubscription(const LocalSubscription&) = delete;
  LocalSubscription& operator=(const LocalSubscription&) = delete;

 private:
  std::shared_ptr<Listeners> listeners_;
  std::list<Events::Listener>::iterator place_;
};

class LocalEvents final : public Events {
 public:
  void publish(const Event& event) override {
    const std::shared_lock lock(listeners_->mutex);
    for (const auto& listener : listeners_->all) listener(event);
  }
  std::unique_ptr<Subscription> subscribe(Listener listener) override {
    return std::make_unique<LocalSubscription>(listeners_, std::move(listener));
  }

 private:
  std::shared_ptr<Listeners> listeners_ = std::make_shared<Listeners>();
};

}  // namespace

std::unique_ptr<Events> make_local_events() { return std::make_unique<LocalEvents>(); }

}  // namespace vibe::store
