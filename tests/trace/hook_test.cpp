#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/own.h"
#include "trace/reading.h"

namespace vibe::trace {
namespace {

std::string all_written(const std::vector<Execution>& executions) {
  std::string out;
  for (const auto& one : executions) {
    base::JsonWriter json;
    write_json(json, one, true);
    out += json.text() + "\n";
  }
  return out;
}

std::string line(int i, std::string_view rest) {
  return "{\"ts\":" + std::to_string(1'700'000'000 + i) + ",\"session\":\"s" +
         std::to_string(i % 7) + "\",\"tool\":\"Bash\"," + std::string(rest) + "}\n";
}

// Lines, until there is no memory to read more of them.
class Failing final : public base::ByteSource {
 public:
  base::Result<std::size_t> read(char* to, std::size_t most) override {
    if (++reads_ > 40) throw std::bad_alloc();
    const std::string text = line(1, "\"exit\":0");
    for (std::size_t i = 0; i < most; ++i) to[i] = text[at_++ % text.size()];
    return most;
  }

 private:
  std::size_t reads_ = 0, at_ = 0;
};

TEST(HookThreads, LeaveNoneWaitingWhereOneFails) {
  for (const std::size_t threads : {1u, 2u, 5u}) {
    const Options options = options_for(threads, false);
    Reading reading("log", options);
    EXPECT_THROW(
        find_format("hook")->read(base::Input::of("log", std::make_unique<Failing>()), reading),
        std::bad_alloc);
  }
}

struct OutcomeCase {
  const char* name;
  const char* rest;
  Outcome want;
};
const OutcomeCase kOutcomes[] = {
    {"number", "\"exit\":0", Outcome::success},
    {"text", "\"exit\":\"0\"", Outcome::success},
    {"failed", "\"exit\":2", Outcome::failure},
    {"failed_as_text", "\"exit\":\"127\"", Outcome::failure},
    {"other_name", "\"exit_code\":1", Outcome::failure},
    {"empty_is_not_known", "\"exit\":\"\"", Outcome::unknown},
    {"null_is_not_known", "\"exit\":null", Outcome::unknown},
    {"output_decides", "\"exit\":\"\",\"output\":\"error: no\"", Outcome::failure},
    {"good_output", "\"exit\":\"\",\"output\":\"fine\"", Outcome::success},
    {"exit_code_before_output", "\"exit\":0,\"output\":\"error: no\"", Outcome::success},
    {"escaped_letter", "\"exit\":\"\",\"output\":\"err\\u006fr: no\"", Outcome::failure},
    {"escape_before", "\"exit\":\"\",\"output\":\"\\fatal: no\"", Outcome::success},
};
class HookLine : public testing::TestWithParam<OutcomeCase> {};
TEST_P(HookLine, HasAnOutcome) {
  const auto one = read_one(line(0, GetParam().rest));
  ASSERT_EQ(one.calls.size(), 1u);
  EXPECT_EQ(one.calls[0].outcome, GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(Hook, HookLine, testing::ValuesIn(kOutcomes),
                         [](const auto& one) { return one.param.name; });

TEST(Hook, IsReadAlikeByAnyNumberOfThreads) {
  std::string log;
  for (int i = 0; log.size() < 5u << 20; ++i) {
    log +=
        line(i, i % 9 == 0 ? "\"exit\":1,\"command\":\"make\"" : "\"exit\":0,\"command\":\"ls\"");
    if (i % 1000 == 0) log += "torn {\n";
    if (i % 1500 == 0)
      log +=
          "{\"ts\":1700000000,\"tool\":\"A\",\"exit\":0}{\"ts\":1700000001,\"tool\":\"B\",\"exit\":"
          "0}\n";
  }
  const auto one = read_text(log, 1), four = read_text(log, 4);
  EXPECT_EQ(one.executions.size(), 8u);
  EXPECT_GT(one.bad.count, 10u);
  EXPECT_EQ(one.bad.first, four.bad.first);
  EXPECT_EQ(all_written(one.executions), all_written(four.executions));
}

// Lines that are written alike are split without being parsed, where no calls are kept.
TEST(Hook, IsReadAlikeTheFastWay) {
  std::string log;
  const char* const outputs[] = {
      "fine",           "error: no",        "a\\nfatal: no", "\\fatal: no",
      "err\\u006fr: x", R"({\"error\":1})", "\\\\",          ""};
  const char* const exits[] = {"0",    "1",   "\"\"",    "\"0\"",
                               "null", "1.0", "\" 2 \"", "12345678901234567890"};
  for (int i = 0; i < 2000; ++i) {
    log += fmt::format(
        "{{\"ts\":\"2026-11-{:02}T{:02}:00:{:02}{}\",\"tool\":\"{}\",\"exit\":{},\"session\":\"s{}"
        "\",\"command\":\"c{}\","
        "\"output\":\"{}\",\"more\":{}}}\n",
        1 + i / 500, i % 24, i % 60,
        i % 11 == 0   ? ".123456Z"
        : i % 13 == 0 ? "+02:00"
        : i % 17 == 0 ? ".3NZ"
                      : "Z",
        i % 7 == 0 ? "Ed\\u0069t" : "Bash", exits[i % 8], i % 5, i / 2 % 3, outputs[i / 8 % 8],
        i % 2 == 0 ? "true" : "[1]");
    if (i % 100 == 0)
      log += R"({"type":"prompt","timestamp":"2026-11-01T00:00:00Z","session":"s1"})"
             "\n";
  }
  auto slow = read_text(log, 1, true), fast = read_text(log, 1, false);
  for (auto& one : slow.executions) one.calls.clear();
  EXPECT_EQ(slow.executions.size(), 5u);
  EXPECT_EQ(all_written(fast.executions), all_written(slow.executions));
}

TEST(Hook, GoesOnWhereObjectsAreNotOneToALine) {
  std::string log;
  for (int i = 0; log.size() < 3u << 20; ++i) log += line(i, "\"exit\":0");
  const auto lines = std::count(log.begin(), log.end(), '\n');
  log +=
      "{\n  \"ts\": 1700000000,\n  \"tool\": \"Edit\",\n  \"exit\": 1,\n  \"session\": "
      "\"p\"\n}\nno JSON\n";
  for (int i = 0; i < 20'000; ++i) log += line(i, "\"exit\":1");
  for (const std::size_t threads : {1u, 3u}) {
    const auto read = read_text(log, threads);
    ASSERT_EQ(read.executions.size(), 8u);
    EXPECT_EQ(read.executions[7].id, "p");
    std::int64_t failed = 0;
    for (const auto& one : read.executions) failed += one.failed;
    EXPECT_EQ(failed, 20'001);
    EXPECT_THAT(read.bad.first, testing::ElementsAre(static_cast<std::uint64_t>(lines) + 7));
  }
}

TEST(Hook, PassesOverALineThatIsTooLong) {
  std::string log =
      line(0, "\"exit\":0") + "{\"tool\":\"" + std::string((64u << 20) + 100, 'x') + "\"}\n";
  const auto read = read_text(log + line(1, "\"exit\":0"));
  EXPECT_EQ(read.executions.size(), 2u);
  EXPECT_THAT(read.bad.first, testing::ElementsAre(2u));
  EXPECT_TRUE(read.problems.failed());
}

TEST(Hook, PairsEventsByTheirIds) {
  const auto one = read_one(
      R"({"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"a"},"tool_use_id":"1"}
{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"a"},"tool_use_id":"2"}
{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"a"},"tool_response":{"stdout":"x"},"tool_use_id":"2"}
{"hook_event_name":"PostToolUseFailure","session_id":"s","tool_name":"Bash","tool_input":{"command":"a"},"error":"no","tool_use_id":"1"}
)");
  EXPECT_EQ(one.tool_calls, 2);
  EXPECT_EQ(one.calls[0].outcome, Outcome::failure);
  EXPECT_EQ(one.calls[0].error, "no");
  EXPECT_EQ(one.calls[1].outcome, Outcome::success);
}

TEST(Hook, FailsWhatHasNoPostToolUse) {
  const std::string pre =
      R"({"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"a"}})";
  const std::string post =
      R"({"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"b"},"tool_response":{}})";
  const std::string pre_b =
      R"({"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"b"}})";
  EXPECT_EQ(read_one(pre + "\n" + pre_b + "\n" + post + "\n").failed, 1);
  // a log of beginnings alone says nothing of how they ended
  EXPECT_EQ(read_one(pre + "\n" + pre_b + "\n").failed, 0);
}

}  // namespace
}  // namespace vibe::trace
