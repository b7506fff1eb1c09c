// A server's organisations in a folder of their own, and a model that answers as a test wants it
// to: at once, or when the test lets go of what was asked.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/environment.h"
#include "app/team/organisations.h"
#include "app/team/start_run.h"
#include "app/team/tenants.h"
#include "base/json_value.h"
#include "base/time.h"
#include "model/http_client.h"
#include "store/folder.h"

namespace vibe::app {

// Far more than anything takes; what is waited for ends it.
inline constexpr std::chrono::seconds kLong{60};

// What all clients of a test send, and what comes back. Safe from any thread.
class Wire {
 public:
  // By the body of a request: the status of what comes back.
  using Status = std::function<int(const std::string& body)>;
  void set_status(Status status) {
    const std::lock_guard lock(mutex_);
    status_ = std::move(status);
  }
  void hold() {
    const std::lock_guard lock(mutex_);
    holds_ = true;
  }
  // Answers what waits, and what comes.
  void let_go() {
    {
      const std::lock_guard lock(mutex_);
      holds_ = false;
    }
    answer_held();
  }
  void answer_held() {
    std::vector<Held> held;
    {
      const std::lock_guard lock(mutex_);
      held = std::exchange(held_, {});
    }
    for (auto& one : held) one.done(answer(one.body));
  }
  bool wait_for(std::size_t requests) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kLong, [&] { return asked_.size() >= requests; });
  }
  std::vector<std::string> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  std::size_t most_waiting() const {
    const std::lock_guard lock(mutex_);
    return most_waiting_;
  }

  void send(const void* client, const std::string& body, model::HttpClient::Done done) {
    {
      const std::lock_guard lock(mutex_);
      asked_.push_back(body);
      changed_.notify_all();
      if (holds_) {
        held_.push_back({client, body, std::move(done)});
        most_waiting_ = std::max(most_waiting_, held_.size());
        return;
      }
    }
    done(answer(body));
  }
  void cancel(const void* client) {
    std::vector<Held> cancelled;
    {
      const std::lock_guard lock(mutex_);
      for (auto one = held_.begin(); one != held_.end();)
        if (one->client == client) {
          cancelled.push_back(std::move(*one));
          one = held_.erase(one);
        } else {
          ++one;
        }
    }
    for (auto& one : cancelled) {
      model::HttpResponse response;
      response.fault = model::HttpResponse::Fault::cancelled;
      response.tries = 1;
      one.done(std::move(response));
    }
  }

 private:
  struct Held {
    const void* client;
    std::string body;
    model::HttpClient::Done done;
  };

  model::HttpResponse answer(const std::string& body) const {
    Status status;
    {
      const std::lock_guard lock(mutex_);
      status = status_;
    }
    model::HttpResponse out;
    out.status = status(body);
    out.tries = 1;
    out.latency = 0.01;
    out.headers = {{"content-type", "application/json"}};
    out.body = out.status == 200
                   ? R"({"choices":[{"message":{"role":"assistant","content":"it is 4"},)"
                     R"("finish_reason":"stop"}],)"
                     R"("usage":{"prompt_tokens":1000000,"completion_tokens":0}})"
                   : R"({"error":{"message":"no"}})";
    return out;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Status status_ = [](const std::string&) { return 200; };
  bool holds_ = false;
  std::vector<std::string> asked_;
  std::vector<Held> held_;
  std::size_t most_waiting_ = 0;
};

class WireClient final : public model::HttpClient {
 public:
  explicit WireClient(Wire& wire) : wire_(wire) {}
  ~WireClient() override { WireClient::cancel_all(); }
  void send(model::HttpRequest request, Done done) override {
    wire_.send(this, request.body, std::move(done));
  }
  void cancel_all() override { wire_.cancel(this); }

 private:
  Wire& wire_;
};

// What a million tokens of the model's prompts cost: each answer of the wire costs that.
inline constexpr double kAnswerCost = 0.15;

struct ServerWorld {
  test::Environment environment;
  test::Folder folder;
  Wire wire;
  std::unique_ptr<Tenants> tenants;
  store::Organisation organisation;  // the first

  explicit ServerWorld(const store::Limits& limits = {},
                       const Permissions& permissions = server_permissions()) {
    environment.unset("VIBECHECK_MASTER_KEY");
    config::Config config;
    config.home = folder.home();
    config.models.variable = [](std::string_view name) -> std::optional<std::string> {
      return name == "OPENAI_API_KEY" ? std::optional<std::string>("sk-test") : std::nullopt;
    };
    config.models.make_client =
        [this](const model::HttpOptions&) -> base::Result<std::unique_ptr<model::HttpClient>> {
      return std::make_unique<WireClient>(wire);
    };
    auto opened = Tenants::open(config, permissions);
    if (!opened) {
      ADD_FAILURE() << base::render(opened.error());
      std::abort();
    }
    tenants = *std::move(opened);
    organisation = add_organisation("first", limits);
  }

  static Permissions server_permissions() { return {false, false, false, {}, false}; }

  store::Organisation add_organisation(std::string_view name, const store::Limits& limits = {}) {
    auto made = create_organisation(**tenants->directory(), name, name, limits, base::now_millis());
    EXPECT_TRUE(made) << base::render(made.error());
    return *made;
  }
  store::Organisation now(const store::Organisation& of) {
    return **(*tenants->directory())->organisations().find(of.id);
  }
  Tenants::Borrowed<Local> local(const store::Organisation& of) { return *tenants->local(of.id); }
  Tenants::Borrowed<Local> local() { return local(organisation); }

  // As many evals, each of which asks for something of its own.
  static std::string suite(std::string_view name, std::size_t evals, std::size_t threads = 4) {
    std::string out = "metadata:\n  name: " + std::string(name) +
                      "\n  model: openai/gpt-4o-mini\n  threads: " + std::to_string(threads) +
                      "\nevals:\n";
    for (std::size_t i = 0; i < evals; ++i)
      out += "  - prompt: " + std::string(name) + " asks " + std::to_string(i) +
             "\n    checks:\n      - match: \"*4*\"\n";
    return out;
  }

  // A suite without mistakes, as a client sends it.
  static SentSuite sent(std::string text) {
    const auto source = base::make_source("yamlContent", std::move(text));
    auto validated = validate(source);
    EXPECT_TRUE(validated.suite) << base::render(validated.diagnostics) << source->text();
    SentSuite out;
    out.loaded = {source, std::make_shared<const suite::Suite>(*std::move(validated.suite)),
                  std::move(validated.rubric)};
    return out;
  }

  // Queues it; the id of the run.
  std::string queue(const store::Organisation& of, std::string text,
                    const SentOptions& options = {}) {
    base::Diagnostics out;
    const auto lent = local(of);
    const auto started = start_run(sent(std::move(text)), options, now(of), *lent, out);
    EXPECT_TRUE(started) << base::render(out);
    return started ? started->run.id : std::string();
  }
  std::string queue(std::string text, const SentOptions& options = {}) {
    return queue(organisation, std::move(text), options);
  }

  // That a run was queued there.
  void hint(const store::Organisation& of) {
    tenants->events().publish({store::Event::Kind::queued, of.id, ""});
  }

  // A run of the queue, as a worker has it.
  store::Claim claim(const std::string& id) {
    return *std::move(*local()->store->queue().claim_run(id, "test", 60));
  }
  // Writes about a run that waits as a worker does that hands it back.
  void write(const score::Run& run) {
    const auto own = local();
    const auto held = claim(run.id);
    ASSERT_TRUE(own->store->journal().write(held.held.hold, run, {}));
    if (!score::is_finished(run.status)) {
      ASSERT_TRUE(own->store->queue().hand_back(held.held.hold));
    }
  }

  score::Run run(const store::Organisation& of, const std::string& id) {
    return **local(of)->runs().find(id);
  }
  score::Run run(const std::string& id) { return run(organisation, id); }
  std::size_t results(const std::string& id) { return local()->runs().results(id)->size(); }
};

// Looks again and again, until it is so. What is looked at is in the store.
inline bool wait_until(const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + kLong;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace vibe::app
