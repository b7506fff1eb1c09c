// EvidenceCollector: gets what checks need in addition to the response: asks judge models, gets
// embeddings, runs programs. One per job. Belongs to the runner's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "base/process.h"
#include "base/workers.h"
#include "check/evidence.h"
#include "model/embedder.h"
#include "model/model.h"
#include "run/channel.h"

namespace vibe::run {

// Cached embeddings, by embedder and text. Each keeps its original cost, so that the cost of
// judging a sample does not depend on which sample came first.
class EmbeddingCache {
 public:
  virtual ~EmbeddingCache() = default;
  virtual std::optional<model::Embedding> find(const std::string& key) = 0;
  virtual base::Result<void> keep(const std::string& key, const model::Embedding& embedding) = 0;
};

// The services that checks use.
struct Outside {
  std::map<std::string, Channel> judges;  // by their name in checks; may be empty
  model::Embedder* embedder = nullptr;    // null: no check needs it
  std::string embedder_name;
  bool is_replay = false;  // everything comes from a recording, which was paid for when it was made
  EmbeddingCache* embeddings = nullptr;
  model::Recorder* recorder = nullptr;  // null: nothing is recorded
  const Redactor* redactor = nullptr;
};

// The subject of a check.
struct Inquiry {
  std::string eval;        // its displayed name
  model::Request request;  // the answered one
  std::string response;
};

class EvidenceCollector {
 public:
  using Done = std::function<void(check::Evidence)>;
  // Runs a task on the runner's thread. Safe from any thread.
  using Post = std::function<void(std::function<void()>)>;
  // Gets what could not be recorded or stored.
  using OnProblem = std::function<void(const base::Diagnostics&)>;

  EvidenceCollector(Outside outside, Post post, OnProblem on_problem);
  ~EvidenceCollector();

  // Calls `done` exactly once, on the runner's thread, perhaps before it returns. The check must
  // stay valid until then. `before`: the number of opinions for earlier checks of this turn;
  // recordings number equal requests by it.
  void find(const check::Check& check, const std::shared_ptr<const Inquiry>& inquiry,
            std::uint32_t before, Done done);

  // Soon ends requests in flight: missing evidence becomes Unavailable.
  void cancel();

 private:
  // `is_new`: it was requested just now and has to be paid for.
  using Embedded = std::function<void(const model::Embedder::Outcome&, bool is_new)>;
  struct Hearing;

  void hear(const check::Judgement& judgement, const std::shared_ptr<const Inquiry>& inquiry,
            std::uint32_t before, Done done);
  void ask(const std::shared_ptr<Hearing>& hearing, std::size_t number,
           const model::Request& request, bool is_first);
  void heard(const std::shared_ptr<Hearing>& hearing, std::size_t number,
             const model::Request& request, bool is_first, model::Outcome outcome, bool from_cache);
  void compare(const check::Similarity& similarity, const std::shared_ptr<const Inquiry>& inquiry,
               Done done);
  void embed(const std::string& text, Embedded done);
  void run(const check::Command& command, const std::shared_ptr<const Inquiry>& inquiry, Done done);
  void report(const base::Result<void>& kept);
  std::string masked(std::string_view text) const;  // with secrets removed, for messages

  Outside outside_;
  Post post_;
  OnProblem on_problem_;
  std::unordered_map<std::string, model::Embedding> known_;             // by text
  std::unordered_map<std::string, std::vector<Embedded>> waiting_for_;  // by text
  std::shared_ptr<base::StopSignal> stop_ = std::make_shared<base::StopSignal>();
  bool is_cancelled_ = false;
  base::Workers workers_;
};

}  // namespace vibe::run
