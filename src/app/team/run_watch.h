// RunWatch: wakes callers that wait for changes of a run: at once if a hint arrives
// (store/events.h), and by polling twice a second, while anybody waits, the runs without hints.
// Does not know what happened: the store does. Safe from any thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/team/tenants.h"

namespace vibe::app {

class RunWatch {
 public:
  using Wake = std::function<void()>;

  // Destroying it ends the watch; `wake` is not called after that.
  class Watcher {
   public:
    virtual ~Watcher() = default;
  };

  static std::unique_ptr<RunWatch> make(Tenants& tenants);
  virtual ~RunWatch() = default;

  // Calls `wake` after each change, but at most once per `pause`, from a thread of the RunWatch; it
  // must be quick, and may end its own watch.
  virtual std::unique_ptr<Watcher> watch(std::string_view organisation, std::string_view run,
                                         std::chrono::milliseconds pause, Wake wake) = 0;
  virtual void wake_all() = 0;  // whether or not anything happened
};

}  // namespace vibe::app
