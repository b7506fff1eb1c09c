// Keeper: stores the scored executions and decisions of a command, either on this machine or on a
// server. A server scores and decides again by its own rubric, because it does not trust clients.
// Belongs to one thread.
#pragma once

#include <memory>
#include <optional>

#include "base/diagnostic.h"
#include "fitness/record.h"
#include "fitness/score.h"
#include "store/journal.h"

namespace vibe::remote {
class Server;
}

namespace vibe::app {

class Keeper {
 public:
  virtual ~Keeper() = default;
  virtual bool takes_rubrics() const = 0;  // whether it stores scores by a user's rubric
  // Stored at once, or later with others.
  virtual base::Result<void> add(const fitness::Scored& scored, const fitness::Rubric& rubric) = 0;
  virtual base::Result<void> finish() = 0;  // stores what was added
  // A server gives the record another id and time.
  virtual base::Result<void> add_decision(fitness::DecisionRecord& record) = 0;
};

struct KeeperSettings {
  std::optional<fitness::AgentVersion> agent;  // the agent; none: from the logs
  score::Millis now = 0;
};
std::unique_ptr<Keeper> make_local_keeper(store::Journal& journal, KeeperSettings settings);
std::unique_ptr<Keeper> make_remote_keeper(remote::Server& server, KeeperSettings settings);

}  // namespace vibe::app
