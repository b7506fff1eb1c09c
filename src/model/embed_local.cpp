// The built-in sentence encoder.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>

#include "base/workers.h"
#include "embed/encoder.h"
#include "model/embedders.h"

namespace vibe::model {

namespace {

class LocalEmbedder final : public Embedder {
 public:
  ~LocalEmbedder() override { cancel(); }

  void embed(const std::string& text, Done done) override {
    const auto encode = [this, text, done, generation = generation_.load()] {
      thread_local embed::Encoder encoder;  // keeps its buffers between texts
      Outcome outcome = tl::unexpected(own_failure(Failure::Kind::cancelled, "cancelled", 0));
      if (generation == generation_) {
        Embedding embedding{.vector = encoder.encode(text), .tokens = {}, .cost = 0};
        if (generation == generation_) outcome = std::move(embedding);
      }
      done(std::move(outcome));
    };
    if (!workers_.add(encode))
      done(tl::unexpected(
          own_failure(Failure::Kind::unreachable, "cannot start a thread to encode the text", 0)));
  }

  void cancel() override { ++generation_; }  // later requests are not affected

 private:
  std::atomic<std::uint64_t> generation_ = 0;  // texts of an earlier one are cancelled
  base::Workers workers_{std::max(1u, std::thread::hardware_concurrency())};
};

}  // namespace

std::unique_ptr<Embedder> make_local_embedder() { return std::make_unique<LocalEmbedder>(); }

}  // namespace vibe::model
