// Events: hints that something has changed, for code that would otherwise poll. A hint may be lost,
// or come twice: the truth is in the store. Safe from any thread.
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

  // Once this is destroyed, the listener is not called any more.
  class Subscription {
   public:
    virtual ~Subscription() = default;
  };

  virtual ~Events() = default;
  virtual void publish(const Event& event) = 0;
  // The listener is called on the publisher's thread, or on a thread of the backend; it must be
  // quick, and must not publish, subscribe or end a subscription. Ending a subscription waits for a
  // call in progress.
  virtual std::unique_ptr<Subscription> subscribe(Listener listener) = 0;
};

// For one process. Subscriptions may outlive it.
std::unique_ptr<Events> make_local_events();

}  // namespace vibe::store
