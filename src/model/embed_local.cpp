// The sentence encoder of the program itself.
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "embed/encoder.h"
#include "model/embedders.h"

namespace vibe::model {

namespace {

class LocalEmbedder final : public Embedder {
 public:
  ~LocalEmbedder() override {
    {
      const std::lock_guard lock(mutex_);
      ++generation_;
      closing_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void embed(const std::string& text, Done done) override {
    {
      const std::lock_guard lock(mutex_);
      if (idle_ <= jobs_.size() && threads_.size() < most_threads_) add_thread();
      if (!threads_.empty()) {
        jobs_.push_back({text, std::move(done), generation_});
        wake_.notify_one();
        return;
      }
    }
    done(tl::unexpected(Failure{Failure::Kind::unreachable, "no thread to encode the text", 0}));
  }

  void cancel() override {
    const std::lock_guard lock(mutex_);
    ++generation_;  // what is asked from now on is not concerned
  }

 private:
  struct Job {
    std::string text;
    Done done;
    std::uint64_t generation;
  };

  void add_thread() {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // there are too many: those that run will do it
    }
  }

  void work() {
    embed::Encoder encoder;
    std::unique_lock lock(mutex_);
    while (true) {
      ++idle_;
      wake_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
      --idle_;
      if (jobs_.empty()) return;
      const Job job = std::move(jobs_.front());
      jobs_.pop_front();
      Outcome outcome = tl::unexpected(Failure{Failure::Kind::cancelled, "cancelled", 0});
      if (job.generation == generation_) {
        lock.unlock();
        Embedding embedding{.vector = encoder.encode(job.text), .tokens = {}, .cost = 0};
        lock.lock();
        if (job.generation == generation_) outcome = std::move(embedding);
      }
      lock.unlock();
      job.done(std::move(outcome));
      lock.lock();
    }
  }

  const std::size_t most_threads_ = std::max(1u, std::thread::hardware_concurrency());

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  std::uint64_t generation_ = 0;  // of the jobs that are not cancelled
  bool closing_ = false;
};

}  // namespace

std::unique_ptr<Embedder> make_local_embedder() { return std::make_unique<LocalEmbedder>(); }

}  // namespace vibe::model
