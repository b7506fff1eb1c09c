// Keeper: where the scored executions and the decisions of a command go: the store of this machine,
// or a server, which scores and decides again by its own rubric: it takes nobody's word for a
// score. Belongs to one thread.
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
  virtual bool takes_rubrics() const = 0;  // whether it keeps scores by a rubric the user gave
  // Kept at once, or with others later.
  virtual base::Result<void> add(const fitness::Scored& scored, const fitness::Rubric& rubric) = 0;
  virtual base::Result<void> finish() = 0;  // keeps what was added
  // A server gives the record another id and time.
  virtual base::Result<void> add_decision(fitness::DecisionRecord& record) = 0;
};

struct KeeperSettings {
  std::optional<fitness::AgentVersion> agent;  // whose they are; none: as their logs say
  score::Millis now = 0;
};
std::unique_ptr<Keeper> make_local_keeper(store::Journal& journal, KeeperSettings settings);
std::unique_ptr<Keeper> make_remote_keeper(remote::Server& server, KeeperSettings settings);

}  // namespace vibe::app
