// Channel: a run's connection to one model: answers of earlier runs come from the cache, new ones
// are recorded and cached, and no secret gets into either. Belongs to the runner's thread.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "model/model.h"
#include "model/recording.h"
#include "price/price.h"
#include "run/redact.h"

namespace vibe::run {

// Answers of earlier runs, by model::answer_key.
class AnswerCache {
 public:
  virtual ~AnswerCache() = default;
  virtual std::optional<model::Outcome> find(const std::string& key) = 0;
  virtual base::Result<void> keep(const std::string& key, const model::Outcome& outcome) = 0;
};

struct Channel {
  model::Model* model = nullptr;
  std::string name;                     // of the model
  std::string tools;                    // its tool server; empty: it has no tools
  std::string rubric;                   // hash of what scores its logs; empty: it writes no logs
  bool is_judge = false;                // recordings keep its answers apart from the model's
  bool is_replay = false;               // recordings hold requests without their secrets
  const Redactor* secrets = nullptr;    // the suite's
  const Redactor* redactor = nullptr;   // for secrets and keys
  AnswerCache* cache = nullptr;         // null: no cache
  model::Recorder* recorder = nullptr;  // null: nothing is recorded
  std::optional<price::Price> price;    // for the budget's estimates; none: it costs nothing

  // An answer of an earlier run.
  std::optional<model::Outcome> find(const model::Request& request) const;
  void ask(const model::Request& request, model::Done done) const;
  // Records the outcome, and caches it for later runs unless it comes from the cache. A replayed
  // outcome gets its secrets back: checks judge what the model said, not its redacted form.
  base::Result<void> keep(const model::Request& request, model::Outcome& outcome,
                          bool from_cache) const;

  model::Outcome redacted(model::Outcome outcome) const;
  std::string redacted(const model::Failure& failure) const;  // its message

 private:
  std::string cache_key(const model::Request& request) const;
  model::Request redacted(model::Request request) const;
  bool holds_secret(const model::Answer& answer) const;
};

}  // namespace vibe::run
