#include "trace/join.h"

#include <gtest/gtest.h>

namespace vibe::trace {
namespace {

Execution session(std::string id, Time started, Time ended) {
  Execution out;
  out.id = std::move(id);
  out.tool_calls = 3;
  out.succeeded = 2;
  out.failed = 1;
  out.repeats = 1;
  out.corrections = 1;
  out.other_errors = 2;
  out.started = started;
  out.ended = ended;
  out.duration = static_cast<double>(ended - started) / 1e6;
  out.active = 5;
  out.tokens = Tokens{.input = 10, .output = 2};
  out.cost = 0.5;
  out.output = "answer of " + out.id;
  out.calls.resize(3);
  return out;
}

TEST(Join, OneSessionIsItself) {
  const Execution one = session("a", 0, 1'000'000);
  EXPECT_EQ(join({one}), one);
}

TEST(Join, AddsUpAndTakesTheLastAnswer) {
  const Execution all = join({session("a", 0, 2'000'000), session("b", 1'000'000, 9'000'000)});
  EXPECT_EQ(all.id, "b");
  EXPECT_EQ(all.tool_calls, 6);
  EXPECT_EQ(all.succeeded, 4);
  EXPECT_EQ(all.failed, 2);
  EXPECT_EQ(all.repeats, 2);
  EXPECT_EQ(all.corrections, 2);
  EXPECT_EQ(all.other_errors, 4);
  EXPECT_EQ(all.duration, 9);
  EXPECT_EQ(all.active, 10);
  EXPECT_EQ(all.tokens->input, 20);
  EXPECT_EQ(all.cost, 1);
  EXPECT_EQ(all.output, "answer of b");
  EXPECT_EQ(all.calls.size(), 6u);
}

TEST(Join, WhatOneLacksIsNotKnown) {
  Execution silent;
  silent.tool_calls = 1;
  silent.unknown = 1;
  silent.ended_in_error = true;
  const Execution all = join({session("a", 0, 2'000'000), silent});
  EXPECT_EQ(all.tool_calls, 4);
  EXPECT_EQ(all.unknown, 1);
  EXPECT_EQ(all.duration, std::nullopt);
  EXPECT_EQ(join({session("a", 0, 2'000'000), silent, session("b", 0, 3'000'000)}).duration,
            std::nullopt);
  EXPECT_EQ(all.active, std::nullopt);
  EXPECT_EQ(all.tokens, std::nullopt);
  EXPECT_EQ(all.cost, std::nullopt);
  EXPECT_EQ(all.output, "answer of a");  // the last that there is
  EXPECT_EQ(all.ended_in_error, true);
}

}  // namespace
}  // namespace vibe::trace
