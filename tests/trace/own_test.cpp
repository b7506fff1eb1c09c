#include "trace/own.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fitness/full_execution.h"
#include "trace/reading.h"

namespace vibe::trace {
namespace {

// With the texts and the calls, which stores do not keep.
Execution full() {
  Execution out = test::full_session();
  out.output = "# \xE2\x9C\x93 \"done\"\n";
  out.prompt = "say \"done\"";
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

TEST(OwnFormat, NamesBrokenLines) {
  Execution noted = full();
  noted.bad_lines += 2;
  noted.notes.insert(noted.notes.begin(), "2 lines of `log` are broken: 2, 4");
  const auto read = read_text(written(full(), true) + "{\"id\": \"x\", \"to\n" +
                              written(Execution{}, true) + R"({"tool_calls": -5})");
  ASSERT_EQ(read.executions.size(), 2u);
  EXPECT_EQ(read.executions[0], noted);
  EXPECT_EQ(read.executions[1].notes, std::vector{noted.notes[0]});
}

Execution read_with(const std::string& members) {
  return read_one(R"({"format": "hook", "tool_calls": 1, "failed_calls": 0, "corrections": 0, )" +
                  members + "}\n");
}

TEST(OwnFormat, FiguresThatCannotBeTrueAreAbsent) {
  for (const char* seconds : {"-5", "1e30", "1e12", "\"5\""}) {
    EXPECT_EQ(read_with(fmt::format(R"("duration_seconds": {})", seconds)).duration, std::nullopt);
    EXPECT_EQ(read_with(fmt::format(R"("active_seconds": {})", seconds)).active, std::nullopt);
  }
  for (const char* cost : {"-7", "1e300", "1e15"})
    EXPECT_EQ(read_with(fmt::format(R"("cost": {})", cost)).cost, std::nullopt);
  EXPECT_EQ(read_with(R"("cost": 0, "duration_seconds": 0)").cost, 0);
  EXPECT_EQ(read_with(R"("input_tokens": -1, "output_tokens": 1)").tokens, std::nullopt);
}

TEST(OwnFormat, CountsHaveAMost) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000;
  const Execution read = read_one(
      R"({"format": "hook", "tool_calls": 9223372036854775807, "failed_calls": -1,
          "corrections": 2, "input_tokens": 9223372036854775807, "output_tokens": -3,
          "bad_lines": 9223372036854775807})");
  EXPECT_EQ(read.tool_calls, kMost);
  EXPECT_EQ(read.failed, 0);
  EXPECT_EQ(read.corrections, 2);
  EXPECT_EQ(read.tokens, (Tokens{.input = kMost}));
  EXPECT_EQ(read.bad_lines, static_cast<std::uint64_t>(kMost));
}

}  // namespace
}  // namespace vibe::trace
