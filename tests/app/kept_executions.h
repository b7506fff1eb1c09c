// A store with executions whose scores a test chooses.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/crypto.h"
#include "fitness/full_execution.h"
#include "store/folder.h"

namespace vibe::app {

struct KeptExecutions {
  test::Folder folder;
  std::unique_ptr<store::Store> store = folder.open();
  std::string rubric = "default";
  std::string rubric_hash = base::hash(fitness::default_rubric().text);

  store::Executions& executions() { return store->archive().executions(); }

  // Stores one execution per score, each a second after the one before. Returns the ids.
  std::vector<std::string> keep(const fitness::AgentVersion& agent,
                                const std::vector<std::optional<double>>& scores) {
    std::vector<fitness::ScoredExecution> all;
    for (const auto& score : scores) all.push_back(execution(agent, score));
    auto ids = store->journal().keep_executions(all);
    EXPECT_TRUE(ids) << base::render(ids.error());
    return ids ? *std::move(ids) : std::vector<std::string>();
  }

  fitness::ScoredExecution execution(const fitness::AgentVersion& agent,
                                     std::optional<double> score) {
    auto out = test::full_execution(base::uuid7(++count_));
    out.agent = agent;
    out.execution.id = "session-" + std::to_string(count_);
    out.execution.started = count_ * 1'000'000;
    out.execution.ended = *out.execution.started + 1;
    out.score = score;
    if (!score) out.grade = out.meaning = "";
    out.rubric = rubric;
    out.rubric_hash = rubric_hash;
    return out;
  }

 private:
  std::int64_t count_ = 0;
};

}  // namespace vibe::app
