// Calibrates rubrics against known outcomes.
#include "app/agents/calibrate_rubric.h"

#include <gtest/gtest.h>

#include "app/agents/rubric.h"
#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;

struct Calibrating : UserHome {
  CalibrateRequest request;

  // Writes a log with `of_each` good and `of_each` bad sessions, and labels for all of them. Most
  // calls of good sessions succeed.
  explicit Calibrating(int of_each) {
    std::string log, labels = "session,outcome\n";
    for (int i = 0; i < of_each; ++i) {
      const std::string good = "good" + std::to_string(i), bad = "bad" + std::to_string(i);
      for (int call = 0; call < 4; ++call) {
        log += log_line(good, call == 0 && i % 4 == 0 ? 1 : 0);
        log += log_line(bad, call <= i % 4 ? 1 : 0);
      }
      labels += good + ",1\n" + bad + ",0\n";
    }
    request.scoring.read.logs = {write("log.jsonl", log)};
    request.scoring.read.threads = 1;
    request.labels = write("labels.csv", labels);
  }
};

TEST(CalibrateRubric, ProposesARubricThatCanBeUsed) {
  Calibrating world(20);
  world.request.output = world.path("fitted.yaml");
  const auto found = calibrate_rubric(world.request);
  ASSERT_TRUE(found.calibration) << base::render(found.diagnostics);
  EXPECT_FALSE(found.diagnostics.failed()) << base::render(found.diagnostics);
  EXPECT_EQ(found.calibration->good, 20u);
  EXPECT_EQ(found.calibration->bad, 20u);
  EXPECT_EQ(found.unlabelled, 0u);
  EXPECT_TRUE(found.unmatched.empty());
  ASSERT_TRUE(found.proposal);
  EXPECT_EQ(test::read_bytes(*world.request.output), *found.proposal);
  base::Diagnostics out;
  EXPECT_TRUE(load_rubric(world.request.output, out)) << base::render(out);
}

TEST(CalibrateRubric, TooFewOutcomesAreNotFitted) {
  Calibrating world(3);
  const auto found = calibrate_rubric(world.request);
  ASSERT_TRUE(found.calibration) << base::render(found.diagnostics);
  EXPECT_FALSE(found.proposal);
  EXPECT_NE(found.calibration->why_not, "");
  EXPECT_FALSE(found.diagnostics.failed());  // it is an error only with an output file
  world.request.output = world.path("fitted.yaml");
  EXPECT_TRUE(calibrate_rubric(world.request).diagnostics.has(Code::no_fit));
  EXPECT_FALSE(std::filesystem::exists(*world.request.output));
}

TEST(CalibrateRubric, CountsWhatDoesNotGoTogether) {
  Calibrating world(3);
  world.request.labels = world.write("labels.csv", "session,outcome\ngood0,1\nbad0,0\nnobody,1\n");
  const auto found = calibrate_rubric(world.request);
  ASSERT_TRUE(found.calibration);
  EXPECT_EQ(found.unmatched, std::vector<std::string>{"nobody"});
  EXPECT_EQ(found.unlabelled, 4u);
  EXPECT_EQ(found.calibration->good, 1u);
  EXPECT_TRUE(found.diagnostics.has(Code::unmatched_label));
}

TEST(CalibrateRubric, LabelsOfNoSessionAreAnError) {
  Calibrating world(3);
  world.request.labels = world.write("labels.csv", "session,outcome\nnobody,1\n");
  const auto found = calibrate_rubric(world.request);
  EXPECT_FALSE(found.calibration);
  EXPECT_TRUE(found.diagnostics.has(Code::no_outcome));
}

TEST(CalibrateRubric, ALogWithoutIdsIsNamedByItsFile) {
  UserHome user;
  CalibrateRequest request;
  request.scoring.read.logs = {
      user.write("a.jsonl", "{\"tool\":\"Bash\",\"exit\":0}\n{\"tool\":\"Bash\",\"exit\":0}\n"),
      user.write("b.jsonl", "{\"tool\":\"Bash\",\"exit\":1}\n{\"tool\":\"Bash\",\"exit\":0}\n")};
  request.labels =
      user.write("labels.csv", "session,outcome\na.jsonl,1\n" + user.path("b.jsonl") + ",0\n");
  const auto found = calibrate_rubric(request);
  ASSERT_TRUE(found.calibration) << base::render(found.diagnostics);
  EXPECT_EQ(found.calibration->good, 1u);
  EXPECT_EQ(found.calibration->bad, 1u);
  EXPECT_TRUE(found.unmatched.empty());
}

TEST(CalibrateRubric, ASessionCountsOnce) {
  Calibrating world(3);
  auto& logs = world.request.scoring.read.logs;
  logs.push_back(world.write("copy.jsonl", test::read_bytes(logs[0])));
  const auto found = calibrate_rubric(world.request);
  ASSERT_TRUE(found.calibration) << base::render(found.diagnostics);
  EXPECT_EQ(found.calibration->good, 3u);
  EXPECT_TRUE(found.diagnostics.has(Code::repeated_session));
}

TEST(CalibrateRubric, AFileThatIsThereIsKept) {
  Calibrating world(20);
  world.request.output = world.write("mine.yaml", "name: mine\n");
  EXPECT_TRUE(calibrate_rubric(world.request).diagnostics.has(Code::bad_usage));
  EXPECT_EQ(test::read_bytes(*world.request.output), "name: mine\n");
  world.request.replace = true;
  EXPECT_FALSE(calibrate_rubric(world.request).diagnostics.failed());
  EXPECT_NE(test::read_bytes(*world.request.output), "name: mine\n");
}

TEST(CalibrateRubric, WhatCannotBeReadIsSaid) {
  Calibrating world(3);
  const auto labels = world.request.labels;
  world.request.labels = world.path("none.csv");
  EXPECT_TRUE(calibrate_rubric(world.request).diagnostics.has(Code::cannot_read));
  world.request.labels = labels;
  world.request.scoring.read.logs = {world.path("none.jsonl")};
  const auto found = calibrate_rubric(world.request);
  EXPECT_FALSE(found.calibration);
  EXPECT_TRUE(found.diagnostics.failed());
  EXPECT_EQ(found.unlabelled, 0u);
}

}  // namespace
}  // namespace vibe::app
