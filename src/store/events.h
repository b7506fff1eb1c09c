// Events: hints that something has changed, for those who would otherwise have to poll for it. A
// hint may be lost, or come twice: the truth is in the store. Safe from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace vibe::store {

struct Event {
  enum class Kind : std::uint8_t {
    queued,   // a run waits for a worker
    changed,  // a run has a result, or another status
  };
  Kind kind = Kind::changed;
  std::string_view organisation, run;  // their ids
};

class Events {
 public:
  using Listener = std::function<void(const Event&)>;

  // The listener is not called any more once this is destroyed.
  class Subscription {
   public:
    virtual ~Subscription() = default;
  };

  virtual ~Events() = default;
  virtual void publish(const Event& event) = 0;
  // Called on the publisher's thread, or on one of the backend's; must not take long, publish,
  // subscribe or end a subscription. To end one waits for a call that is under way.
  virtual std::unique_ptr<Subscription> subscribe(Listener listener) = 0;
};

// Within one process. Subscriptions may outlive it.
std::unique_ptr<Events> make_local_events();

}  // namespace vibe::store
