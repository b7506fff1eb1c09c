// A suite, a plan of it, and a model that answers as a test wants it to.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/source.h"
#include "run/plan.h"
#include "run/run.h"
#include "suite/load.h"

namespace vibe::run {

struct World {
  base::SourcePtr source;
  std::shared_ptr<const suite::Suite> suite;
  base::Diagnostics found;

  explicit World(std::string yaml) : source(base::make_source("suite.yaml", std::move(yaml))) {
    auto loaded = suite::load(source, {}, found);
    EXPECT_TRUE(loaded) << render(found);
    if (loaded) suite = std::make_shared<const suite::Suite>(*std::move(loaded));
  }

  std::optional<Plan> plan(const PlanOptions& options = {}, Values variables = {},
                           Values secrets = {}) {
    return Plan::make(suite, Filler(std::move(variables), std::move(secrets)), options, found);
  }
};

inline model::Answer answer(std::string text, double cost = 0.001) {
  model::Answer out;
  out.text = std::move(text);
  out.latency = 0.5;
  out.usage.prompt = 10;
  out.usage.completion = 5;
  out.cost = {cost / 2, cost / 2, cost};
  return out;
}

// Answers at once, or keeps what was asked until the test lets go of it.
class FakeModel final : public model::Model {
 public:
  std::function<model::Outcome(const model::Request&)> reply = [](const model::Request& request) {
    return answer(request.messages.back().text);
  };
  bool holds_back = false;
  bool is_too_late = false;  // to cancel what is held back: it is answered
  std::vector<model::Request> asked;
  std::size_t most_in_flight = 0;

  void ask(const model::Request& request, model::Done done) override {
    asked.push_back(request);
    if (!holds_back) return done(reply(request));
    held_.emplace_back(request, std::move(done));
    most_in_flight = std::max(most_in_flight, held_.size());
  }
  void cancel() override {
    if (is_too_late) return let_go();
    for (auto& [request, done] : std::exchange(held_, {}))
      done(tl::unexpected(model::Failure{model::Failure::Kind::cancelled, "cancelled"}));
  }
  std::size_t in_flight() const { return held_.size(); }
  void let_go() {
    for (auto& [request, done] : std::exchange(held_, {})) done(reply(request));
  }

 private:
  std::vector<std::pair<model::Request, model::Done>> held_;
};

class Collector final : public Observer {
 public:
  std::vector<score::Result> results;
  std::function<void()> tick = [] {};
  bool stopping = false, draining = false;
  std::size_t breaks_at = static_cast<std::size_t>(-1);

  base::Result<void> on_result(std::size_t, score::Result result) override {
    if (results.size() == breaks_at)
      return base::fail(base::Code::store_unusable, {}, "the disk is full");
    results.push_back(std::move(result));
    return {};
  }
  void on_tick() override { tick(); }
  bool stop_all() override { return stopping; }
  bool drain() override { return draining; }
};

inline Job job_of(const Plan& plan, model::Model& model) {
  Job out;
  out.plan = &plan;
  out.model.model = &model;
  out.model.name = "test/model";
  out.model.secrets = out.model.redactor = &plan.redactor();
  out.outside.redactor = &plan.redactor();
  for (std::uint32_t i = 0; i < plan.samples().size(); ++i) out.pending.push_back(i);
  return out;
}

inline Ended run_one(Job& job, Observer& observer) {
  return std::move(run_all({&job, 1}, observer).front());
}

}  // namespace vibe::run
