// Recording: the outcomes of requests, stored in a file of JSON lines to be replayed later. The
// first line names the model, every other line is a request with its answer or its failure
// (docs/models.md has the format; people also write it by hand).
// A Recorder belongs to one thread; a Recording is immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/diagnostic.h"
#include "model/embedder.h"
#include "model/model.h"

namespace vibe::model {

// Equal requests have equal keys: made of the system prompt and the messages with their tool calls,
// but without the call ids, which a provider invents each time.
std::string conversation_key(const Request& request);
// The key of an answer that another run can reuse: also has the model, parameters and ordinal.
std::string answer_key(std::string_view model, const Request& request);

// An outcome as JSON, and back.
std::string to_json(const Outcome& outcome);
std::optional<Outcome> outcome_from_json(std::string_view json);

class Recorder {
 public:
  // Opens the file for writing and writes the first line. An earlier recording is replaced; for any
  // other existing file it fails.
  static base::Result<Recorder> create(const std::string& path, std::string_view model);
  // Continues a recording of the same model.
  static base::Result<Recorder> append(const std::string& path, std::string_view model);
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;
  ~Recorder();

  // Writes one line, whole or not at all. `other` names the model if it is not the one in the first
  // line, as for a judge.
  base::Result<void> add(const Request& request, const Outcome& outcome,
                         std::string_view other = {});
  base::Result<void> add(std::string_view embedder, std::string_view text,
                         const Embedder::Outcome& outcome);

 private:
  Recorder() = default;
  static base::Result<Recorder> open(const std::string& path, int flags);
  base::Result<void> end_last_line();  // of an existing file: people forget the last line break
  base::Result<void> write_line(std::string line);

  int fd_ = -1;
  std::int64_t size_ = 0;  // of the whole lines in the file
  std::string path_;
};

class Recording {
 public:
  static base::Result<Recording> read(const std::string& path);

  const std::string& model() const { return model_; }  // the recorded one
  // Finds an outcome by conversation and ordinal; `other` as above.
  const Outcome* find(const Request& request, std::string_view other = {}) const;
  bool knows_fitness() const;  // some answer has a fitness, or says why it has none
  const Embedder::Outcome* find_embedding(std::string_view embedder, std::string_view text) const;

 private:
  std::string model_;
  std::unordered_map<std::string, Outcome> outcomes_;
  std::unordered_map<std::string, Embedder::Outcome> embeddings_;
};

}  // namespace vibe::model
