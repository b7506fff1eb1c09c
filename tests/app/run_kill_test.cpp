// A command's run whose process is killed after its last result: at every write until its end.
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/runs/run_suite.h"
#include "base/time.h"
#include "store/folder.h"
#include "store/limited_writes.h"

namespace vibe::app {
namespace {

constexpr int kSamples = 3;
constexpr const char* kSuite = R"(metadata: {name: sums, model: "replay:answers.jsonl"}
evals:
  - {name: a, prompt: one, checks: {match: "1"}}
  - {name: b, prompt: two, checks: {match: "2"}}
  - {name: c, prompt: three, checks: {match: "4"}}
score: {formula: a + b + c}
)";
constexpr const char* kAnswers = R"({"vibecheck_recording":1,"model":"m"}
{"prompt":"one","answer":{"text":"1"}}
{"prompt":"two","answer":{"text":"2"}}
{"prompt":"three","answer":{"text":"3"}}
)";

class CountingWatcher final : public Watcher {
 public:
  explicit CountingWatcher(std::function<void()> on_last) : on_last_(std::move(on_last)) {}
  void on_start(std::span<const PreparedModel>) override {}
  void on_result(std::size_t, const score::Result&) override {
    if (++results == kSamples) on_last_();
  }
  void on_tick() override {}
  bool wants_to_stop() const override { return false; }

  int results = 0;

 private:
  std::function<void()> on_last_;
};

// A suite, its recorded answers and a store, in a folder of their own.
class KillWorld {
 public:
  KillWorld() {
    test::write_bytes(folder_.file("suite.yaml"), kSuite);
    test::write_bytes(folder_.file("answers.jsonl"), kAnswers);
  }

  struct Outcome {
    base::Diagnostics problems;  // that kept it from starting
    std::vector<FinishedRun> finished;
    int asked = 0;
  };
  Outcome check(RunRequest request, const std::function<void()>& on_last = [] {}) const {
    Local local = open();
    if (request.earlier.empty()) request.suite = folder_.file("suite.yaml");
    Outcome out;
    auto prepared = prepare_run(request, local, out.problems);
    if (!prepared) return out;
    CountingWatcher watcher(on_last);
    if (start_suite(*prepared, *local.store, out.problems))
      out.finished = run_suite(*prepared, *local.store, watcher);
    out.asked = watcher.results;
    return out;
  }

  // In a process that dies at the Nth write after the last result; false: it came to its end.
  bool is_killed_at(int writes) const {
    return test::is_killed([&] {
      std::optional<test::DeadlyWrites> limit;
      check({}, [&] { limit.emplace(writes); });
    });
  }

  score::Run only_run() const {
    auto local = open();
    const auto page = local.runs().list({}).value();
    EXPECT_EQ(page.runs.size(), 1u);
    return local.runs().find(page.runs.at(0).id).value().value();
  }

 private:
  // As a command does.
  Local open() const {
    Local local;
    local.config.home = folder_.home();
    local.store = folder_.open();
    EXPECT_TRUE(local.store->journal().mark_interrupted());
    return local;
  }

  const test::Folder folder_;
};

RunRequest earlier(const score::Run& run, Continue how = Continue::missing) {
  RunRequest out;
  out.earlier = run.id;
  out.how = how;
  return out;
}

TEST(RunKill, AfterTheLastResultIsFinishedByResume) {
  int interrupted = 0;
  bool is_killed = true;
  for (int writes = 0; is_killed; ++writes) {
    ASSERT_LT(writes, 500);
    const KillWorld world;
    is_killed = world.is_killed_at(writes);
    const score::Run killed = world.only_run();
    EXPECT_EQ(killed.results, kSamples);
    if (killed.status == score::RunStatus::failed) {
      ++interrupted;
      const auto retried = world.check(earlier(killed, Continue::failed));
      ASSERT_EQ(retried.problems.all().size(), 1u);
      EXPECT_EQ(retried.problems.all()[0].hint, "`--resume` finishes the run");
      const auto resumed = world.check(earlier(killed));
      ASSERT_EQ(resumed.finished.size(), 1u) << writes << ": " << base::render(resumed.problems);
      EXPECT_EQ(resumed.asked, 0);
    }
    const score::Run run = world.only_run();
    EXPECT_EQ(run.status, score::RunStatus::completed) << writes;
    EXPECT_EQ(run.score, 2) << writes;
    EXPECT_EQ(run.error, "");
    const auto again = world.check(earlier(run));
    ASSERT_EQ(again.problems.all().size(), 1u);
    EXPECT_EQ(again.problems.all()[0].message, "run `" + run.id + "` has all its 3 results");
  }
  EXPECT_GT(interrupted, 0);
}

}  // namespace
}  // namespace vibe::app
