// Embedder: a text → a vector that represents its meaning. The local one (embed/) works without a
// network; any other is an OpenAI-compatible endpoint. Vectors arrive asynchronously.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "model/model.h"

namespace vibe::model {

struct Embedding {
  std::vector<float> vector{};
  std::optional<std::int64_t> tokens{};  // as the service counts them
  std::optional<double> cost{};          // US dollars; none: the price is unknown
};

class Embedder {
 public:
  using Outcome = tl::expected<Embedding, Failure>;
  using Done = std::function<void(Outcome)>;

  // Ends requests in flight, as cancel() does, and waits until every `done` was called.
  virtual ~Embedder() = default;

  // Calls `done` exactly once, from any thread, perhaps before it returns. A vector has at least
  // one number; its numbers are finite and not all 0. All vectors have the same length.
  virtual void embed(const std::string& text, Done done) = 0;

  // Soon ends requests in flight with Failure::Kind::cancelled. Safe from any thread.
  virtual void cancel() = 0;
};

// The default embedder.
inline constexpr std::string_view kLocalEmbedder = "local";

struct OpenedEmbedder {
  std::unique_ptr<Embedder> embedder;
  std::string name;               // `local`, `openai/text-embedding-3-small`
  std::vector<std::string> keys;  // redact them wherever they would be shown
};

// From -1 to 1; none if the vectors differ in length, or one of them has no direction.
std::optional<double> cosine_similarity(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace vibe::model
