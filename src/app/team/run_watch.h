// RunWatch: wakes those who wait for something to happen to a run: at once if a hint says so
// (store/events.h), and by looking twice a second, as long as somebody waits, at the runs that no
// hint was about. Knows nothing of what happened: that is in the store. Safe from any thread.
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

  // Ends the watching when it is destroyed; `wake` is not called after that.
  class Watcher {
   public:
    virtual ~Watcher() = default;
  };

  static std::unique_ptr<RunWatch> make(Tenants& tenants);
  virtual ~RunWatch() = default;

  // Calls `wake` after each change, but not more often than every `pause`, from a thread of this;
  // it must not take long, and may end its own watching.
  virtual std::unique_ptr<Watcher> watch(std::string_view organisation, std::string_view run,
                                         std::chrono::milliseconds pause, Wake wake) = 0;
  virtual void wake_all() = 0;  // whatever happened
};

}  // namespace vibe::app
