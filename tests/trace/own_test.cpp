#include "trace/own.h"

#include <gtest/gtest.h>

#include "trace/reading.h"

namespace vibe::trace {
namespace {

// Every field has a value of its own.
Execution full() {
  Execution out;
  out.id = "id";
  out.file = "a/b.jsonl";
  out.format = "claude";
  out.agent = "agent 1";
  out.model = "model";
  out.task_type = "coding";
  out.complexity = "simple";
  out.tool_calls = 10;
  out.succeeded = 4;
  out.failed = 3;
  out.refused = 2;
  out.unknown = 1;
  out.unanswered = 5;
  out.orphan_results = 6;
  out.repeats = 7;
  out.api_retries = 8;
  out.corrections = 9;
  out.writes_files = true;
  out.started = 1'700'000'000'123'456;
  out.ended = 1'700'000'001'123'457;
  out.duration = 1.000001;
  out.active = 0.5;
  out.tokens = Tokens{
      .input = 11, .output = 12, .cache_read = 13, .cache_write = 14, .cache_in_input = true};
  out.cost = 0.015;
  out.cost_is_stated = true;
  out.output = "# \xE2\x9C\x93 \"done\"\n";
  out.structure = {.headers = true, .lists = false, .code_blocks = true};
  out.ended_in_error = false;
  out.bad_lines = 16;
  out.notes = {"one", "two"};
  out.calls = {{.name = "Bash",
                .id = "c1",
                .input = "{\"a\":1}",
                .outcome = Outcome::failure,
                .answered = true,
                .refused = false,
                .exit_code = -17,
                .error = "no",
                .start = 1'700'000'000'200'000,
                .end = 1'700'000'000'300'001,
                .sub_agent = "x"}};
  out.calls.emplace_back().name = "Read";
  out.calls.back().refused = true;
  return out;
}

std::string written(const Execution& execution, bool calls) {
  base::JsonWriter json;
  write_json(json, execution, calls);
  return json.text() + "\n";
}

TEST(OwnFormat, ReadsBackWhatWasWritten) {
  for (const Execution& execution : {full(), Execution{}}) {
    const auto read = read_text(written(execution, true));
    EXPECT_EQ(read.format, "vibecheck");
    ASSERT_EQ(read.executions.size(), 1u);
    EXPECT_EQ(read.executions[0], execution);
  }
}

TEST(OwnFormat, HasCallsOnlyWhereTheyAreWanted) {
  Execution without = full();
  without.calls.clear();
  EXPECT_EQ(read_one(written(full(), false)), without);
  EXPECT_EQ(read_text(written(full(), true), 1, false).executions.at(0), without);
}

}  // namespace
}  // namespace vibe::trace
