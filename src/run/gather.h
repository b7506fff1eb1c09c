// Gatherer: finds out what checks need beside the response: asks judge models, has texts embedded,
// runs programs. One for each job. Belongs to the runner's thread.
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

// Embeddings that were kept, by embedder and text. Each keeps the cost of its first time, so that
// what judging a sample costs does not depend on who was first.
class EmbeddingCache {
 public:
  virtual ~EmbeddingCache() = default;
  virtual std::optional<model::Embedding> find(const std::string& key) = 0;
  virtual base::Result<void> keep(const std::string& key, const model::Embedding& embedding) = 0;
};

// Who is asked.
struct Outside {
  std::map<std::string, Channel> judges;  // by the name that checks have for it; empty: none
  model::Embedder* embedder = nullptr;    // null: no check needs it
  std::string embedder_name;
  bool is_replay = false;  // the embedder is that of a recording
  EmbeddingCache* embeddings = nullptr;
  model::Recorder* recorder = nullptr;  // null: nothing is recorded
  const Redactor* redactor = nullptr;
};

// What a check is about.
struct Inquiry {
  std::string eval;        // as it is shown
  model::Request request;  // that was answered
  std::string response;
};

class Gatherer {
 public:
  using Done = std::function<void(check::Evidence)>;
  // Has it done on the runner's thread. Safe from any thread.
  using Post = std::function<void(std::function<void()>)>;
  // What could not be recorded or kept.
  using OnProblem = std::function<void(const base::Diagnostics&)>;

  Gatherer(Outside outside, Post post, OnProblem on_problem);
  ~Gatherer();

  // Calls `done` exactly once, on the runner's thread, perhaps before it returns. The check stays
  // where it is until then. `before`: opinions that earlier checks of this turn want; recordings
  // number equal requests by it.
  void find(const check::Check& check, const std::shared_ptr<const Inquiry>& inquiry,
            std::uint32_t before, Done done);

  // Ends what is in flight, soon: evidence that is missing then is Unavailable.
  void cancel();

 private:
  // `is_new`: it was asked for just now, and has to be paid for.
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
  std::string masked(std::string_view text) const;  // what a message may quote of it

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
