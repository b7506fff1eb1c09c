// Recording: the outcomes of requests, kept in a file of JSON lines, to be replayed later:
// the first line names the model, every other is a request with its answer or its failure
// (docs/models.md has the format, which people write by hand, too).
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

// What makes requests equal: the system prompt and the messages, with the calls of tools in them
// but without the calls' ids, which a provider makes up anew each time.
std::string conversation_key(const Request& request);
// And what makes an answer good for another run: the model and the parameters too, and the ordinal.
std::string answer_key(std::string_view model, const Request& request);

// An outcome as JSON, and back.
std::string to_json(const Outcome& outcome);
std::optional<Outcome> outcome_from_json(std::string_view json);

class Recorder {
 public:
  // Opens the file for writing and writes the first line. An earlier recording is replaced; any
  // other file is left alone, an error.
  static base::Result<Recorder> create(const std::string& path, std::string_view model);
  // Continues a recording of the same model.
  static base::Result<Recorder> append(const std::string& path, std::string_view model);
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;
  ~Recorder();

  // One line, whole or not at all. `other` names the model where it is not the one of the first
  // line: a judge.
  base::Result<void> add(const Request& request, const Outcome& outcome,
                         std::string_view other = {});
  base::Result<void> add(std::string_view embedder, std::string_view text,
                         const Embedder::Outcome& outcome);

 private:
  Recorder() = default;
  static base::Result<Recorder> open(const std::string& path, int flags);
  base::Result<void> end_last_line();  // of a file that is there: people forget the last break
  base::Result<void> write_line(std::string line);

  int fd_ = -1;
  std::int64_t size_ = 0;  // of the whole lines in the file
  std::string path_;
};

class Recording {
 public:
  static base::Result<Recording> read(const std::string& path);

  const std::string& model() const { return model_; }  // that was recorded
  // By conversation and ordinal; `other` as above.
  const Outcome* find(const Request& request, std::string_view other = {}) const;
  bool knows_fitness() const;  // of an answer, or why there is none
  const Embedder::Outcome* find_embedding(std::string_view embedder, std::string_view text) const;

 private:
  std::string model_;
  std::unordered_map<std::string, Outcome> outcomes_;
  std::unordered_map<std::string, Embedder::Outcome> embeddings_;
};

}  // namespace vibe::model
