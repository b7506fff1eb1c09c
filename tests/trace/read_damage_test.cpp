// What is read of inputs that are no logs, and what is said of documents with damaged parts.
#include <csignal>
#include <thread>

#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "trace/reading.h"

namespace vibe::trace {
namespace {

ReadLog read_path(const std::string& path) {
  return read_log({.path = path, .sub_agents = {}}, nullptr, options_for(1, true));
}

TEST(ReadLogs, StopBehindTheHeadOfWhatIsNoLog) {
  constexpr std::size_t kMost = std::size_t{64} << 20;
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::size_t written = 0;
  std::thread writer([&] {
    const std::string zeros(std::size_t{1} << 20, '\0');
    for (ssize_t count = 1; count > 0 && written < kMost; written += zeros.size())
      count = write(ends[1], zeros.data(), zeros.size());
    close(ends[1]);
  });
  const ReadLog read = read_path(fmt::format("/dev/fd/{}", ends[0]));
  close(ends[0]);
  writer.join();
  EXPECT_LT(written, 2 * kMostHeadBytes);
  ASSERT_TRUE(read.diagnostics.failed());
  EXPECT_EQ(read.diagnostics.all().front().code, base::Code::unknown_log);
}

struct DamagedCase {
  const char* name;
  const char* text;  // `@` stands where the damage is
  std::int64_t calls, calls_of_damaged;
};
class Damaged : public testing::TestWithParam<DamagedCase> {};

std::string with(std::string_view text, std::string_view damage) {
  std::string out(text);
  return out.replace(out.find('@'), 1, damage);
}

TEST_P(Damaged, PartsOfDocumentsAreCounted) {
  const auto check = [&](std::string_view damage, std::int64_t calls, std::uint64_t bad_lines) {
    const Execution read = read_one(with(GetParam().text, damage));
    EXPECT_EQ(read.tool_calls, calls) << damage;
    EXPECT_EQ(read.bad_lines, bad_lines) << damage;
  };
  check("x", GetParam().calls, 0);
  check("\\q", GetParam().calls_of_damaged, 1);
  check("\xFF", GetParam().calls, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Read, Damaged,
    testing::Values(DamagedCase{"swe_agent", R"({"environment": "e", "trajectory": [
          {"action": "ls", "observation": "a@b", "thought": ""},
          {"action": "make", "observation": "fine", "thought": ""}], "info": {}})",
                                2, 1},
                    DamagedCase{"mini_swe_agent", R"({"info": {}, "messages": [
          {"role": "user", "content": "go"},
          {"role": "assistant", "content": "a@b", "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}]},
          {"role": "assistant", "content": "", "tool_calls": [
            {"id": "2", "type": "function", "function": {"name": "bash", "arguments": "{}"}}]}]})",
                                2, 1},
                    DamagedCase{"atif",
                                R"({"schema_version": "ATIF-v1.2", "session_id": "s", "steps": [
          {"step_id": 1, "source": "agent", "message": "a@b",
           "tool_calls": [{"tool_call_id": "1", "function_name": "f", "arguments": {}}]},
          {"step_id": 2, "source": "agent", "message": "",
           "tool_calls": [{"tool_call_id": "2", "function_name": "f", "arguments": {}}]}]})",
                                2, 1},
                    DamagedCase{"gemini", R"({"sessionId": "s", "projectHash": "h", "messages": [
          {"id": "1", "type": "gemini", "content": "a@b",
           "toolCalls": [{"id": "c1", "name": "f", "args": {}, "status": "success"}]},
          {"id": "2", "type": "gemini", "content": "",
           "toolCalls": [{"id": "c2", "name": "f", "args": {}, "status": "success"}]}]})",
                                2, 1}),
    [](const auto& one) { return one.param.name; });

TEST(ReadLogs, ATornLineHasNoCalls) {
  const Execution read = read_one(
      R"({"tool":"Read","ts":"2026-01-01T00:00:00Z","exit":0}
{"tool":"Task","ts":"2026-01-01T00:00:01Z","response":{"calls":[{"tool":"Bash","exit":1}],"x":"torn
)");
  EXPECT_EQ(read.tool_calls, 1);
  EXPECT_EQ(read.bad_lines, 1u);
}

TEST(ReadLogs, ADeepInputIsRead) {
  const std::size_t depth = 1500;
  const std::string begin =
      R"({"type":"assistant","sessionId":"s","timestamp":"2026-01-01T00:00:00Z",)"
      R"("message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":)";
  std::string input;
  for (std::size_t i = 0; i < depth; ++i) input += R"({"a":)";
  const Execution read = read_one(begin + input + "1" + std::string(depth, '}') + "}]}}\n");
  EXPECT_EQ(read.tool_calls, 1);
  EXPECT_EQ(read.bad_lines, 0u);
}

}  // namespace
}  // namespace vibe::trace
