// Channel: one model as a run speaks to it: answers of earlier runs come from the cache, what is
// new is recorded and kept, and no secret gets into any of it. Belongs to the runner's thread.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "model/model.h"
#include "model/recording.h"
#include "price/price.h"
#include "run/redact.h"

namespace vibe::run {

// Answers that were kept, by model::answer_key.
class AnswerCache {
 public:
  virtual ~AnswerCache() = default;
  virtual std::optional<model::Outcome> find(const std::string& key) = 0;
  virtual base::Result<void> keep(const std::string& key, const model::Outcome& outcome) = 0;
};

struct Channel {
  model::Model* model = nullptr;
  std::string name;                     // of the model
  std::string tools;                    // where its tools are; empty: it has none
  std::string rubric;                   // hash of what scores its logs; empty: it writes none
  bool is_judge = false;                // recordings tell its answers from those of the model
  bool is_replay = false;               // recordings know requests without their secrets
  const Redactor* secrets = nullptr;    // of the suite
  const Redactor* redactor = nullptr;   // of secrets and keys
  AnswerCache* cache = nullptr;         // null: none is used
  model::Recorder* recorder = nullptr;  // null: nothing is recorded
  std::optional<price::Price> price;    // what a budget is reckoned with; none: it costs nothing

  // Kept by an earlier run.
  std::optional<model::Outcome> find(const model::Request& request) const;
  void ask(const model::Request& request, model::Done done) const;
  // Records the outcome; keeps it for later runs where it does not come from an earlier one. That
  // of a replay gets its secrets back: checks judge what the model said, not what may be kept of
  // it.
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
