#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/errors.h"
#include "trace/hook/line.h"
#include "trace/reading.h"

namespace vibe::trace {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Time kNow = 1'700'000'000'123'000;

const ErrorPatterns& patterns() { return fitness::default_rubric().words.errors(); }

std::string line_of(std::string_view payload) {
  const auto line = hook_line(payload, kNow, patterns);
  EXPECT_TRUE(line) << payload;
  return line ? line->text : std::string();
}

TEST(HookLine, IsThePayloadWithItsTime) {
  const auto line = hook_line(R"( {
    "session_id": "s", "transcript_path": "/t.jsonl", "hook_event_name": "PostToolUse",
    "tool_name": "Bash", "tool_input": {"command": "ls", "n": 1.5, "big": 12345678901234567890},
    "tool_response": [true, null, "a\nb"]
  } )",
                              kNow, patterns);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->event, "PostToolUse");
  EXPECT_EQ(line->session, "s");
  EXPECT_EQ(line->transcript, "/t.jsonl");
  EXPECT_EQ(line->text,
            R"({"timestamp":"2023-11-14T22:13:20.123000Z","session_id":"s",)"
            R"("transcript_path":"/t.jsonl","hook_event_name":"PostToolUse","tool_name":"Bash",)"
            R"("tool_input":{"command":"ls","n":1.5,"big":12345678901234567890},)"
            R"("tool_response":[true,null,"a\nb"]})");
}

TEST(HookLine, IsAlsoOfNumbersThatAreTooLarge) {
  const std::string line = line_of(
      R"({"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","tool_use_id":"1",)"
      R"("tool_input":{"a":100000000000000000000000,"b":1e400},"tool_response":{"exit_code":2}})");
  EXPECT_THAT(line, HasSubstr(R"("tool_input":{"a":1e+23,"b":null})"));
  EXPECT_EQ(read_one(line + "\n").failed, 1);
}

TEST(HookLine, KeepsATimeThatIsThere) {
  EXPECT_THAT(line_of(R"({"hook_event_name":"Stop","timestamp":"2020-01-01T00:00:00Z"})"),
              Not(HasSubstr("2023")));
}

TEST(HookLine, IsOnlyOfEvents) {
  for (const std::string_view other :
       {std::string_view(), std::string_view("\0\0\0", 3), std::string_view("{"),
        std::string_view("[1]"), std::string_view("{}"), std::string_view("no"),
        std::string_view(R"({"hook_event_name":5})"),
        std::string_view(R"({"hook_event_name":"Stop"} {})")})
    EXPECT_FALSE(hook_line(other, kNow, patterns)) << other;
}

std::string payload(std::string_view event, std::string_view rest) {
  return fmt::format(
      R"({{"session_id":"s","hook_event_name":"{}","tool_name":"Bash","tool_use_id":"1",{}}})",
      event, rest);
}

// Nothing that is read from a log changes with what is left out of it.
TEST(HookLine, IsReadAsThePayloadIs) {
  const std::string big(300'000, 'x');
  const std::string quoted_big = fmt::format(R"(\"stdout\":\"{}\")", big);
  const std::string rows[] = {
      payload("PreToolUse", R"("tool_input":{"command":"ls"})"),
      payload("PostToolUse", R"("tool_input":{},"tool_response":{"stdout":")" + big + "\"}"),
      payload("PostToolUse",
              R"("tool_input":{},"tool_response":{"stdout":")" + big + R"(","exit_code":2})"),
      payload("PostToolUse", R"("tool_input":{},"tool_response":")" + big + "\""),
      payload("PostToolUse",
              R"("tool_input":{},"tool_response":"{)" + quoted_big + R"(,\"is_error\":true}")"),
      payload("PostToolUse",
              R"("tool_input":{},"tool_response":"{)" + quoted_big + R"(,\"exit_code\":0}")"),
      payload("PostToolUseFailure",
              R"("tool_input":{},"error":"Exit code 1\n)" + big + R"(","is_interrupt":true)"),
      payload("UserPromptSubmit", R"("prompt":")" + big + "\""),
      payload("Stop", R"("last_assistant_message":"# Done\n)" + big + "\""),
  };
  for (const std::string& row : rows) {
    const std::string stamped = R"({"timestamp":"2023-11-14T22:13:20.123000Z",)" + row.substr(1);
    const Execution want = read_one(stamped + "\n"), got = read_one(line_of(row) + "\n");
    EXPECT_EQ(got.failed, want.failed) << row.substr(0, 200);
    EXPECT_EQ(got.succeeded, want.succeeded) << row.substr(0, 200);
    EXPECT_EQ(got.corrections, want.corrections);
    EXPECT_EQ(got.output, want.output);
    EXPECT_EQ(got.prompt, want.prompt);
    EXPECT_EQ(got.started, want.started);
    ASSERT_EQ(got.calls.size(), want.calls.size());
    if (!got.calls.empty()) {
      EXPECT_EQ(got.calls[0].error, want.calls[0].error);
    }
    if (row.find("last_") == std::string::npos && row.find("prompt") == std::string::npos) {
      EXPECT_LT(line_of(row).size(), 2 * kMostHookText);
    }
  }
}

std::string kept_text(const std::string& text) {
  JsonParser parser;
  const std::string line =
      line_of(fmt::format(R"({{"hook_event_name":"PostToolUse","tool_response":{{"stdout":{}}}}})",
                          base::JsonWriter().string(text).text()));
  return std::string(parser.parse(line)["tool_response"].text_of("stdout"));
}

TEST(HookLine, ShowsAnErrorWhereverItStands) {
  const ErrorPatterns& errors = patterns();
  const std::string fill(50'000, 'x'), lines = [] {
    std::string out;
    while (out.size() < 50'000) out += "all is well\n";
    return out;
  }();
  for (const std::string& text :
       {lines + "error: no\n" + lines, fill + " command not found " + fill, lines + lines,
        fill + fill, "error: no\n" + lines, lines + "error: no", fill + "error: no" + fill,
        lines + fill + "permission denied" + fill + "\n" + lines,
        // in the middle of a line, where the end begins that is kept
        std::string(100'000 - kMostHookText / 2, 'x') + "error: no " +
            std::string(kMostHookText / 2 - 10, 'y')}) {
    const std::string kept = kept_text(text);
    EXPECT_LT(kept.size(), kMostHookText + 1000);
    EXPECT_EQ(errors.find(kept) != nullptr, errors.find(text) != nullptr) << text.substr(0, 40);
    EXPECT_EQ(kept.substr(0, 8000), text.substr(0, 8000));
  }
}

TEST(HookLine, TextsThatDifferStayDifferent) {
  std::string one(100'000, 'x'), other = one;
  other[50'000] = 'y';
  EXPECT_NE(kept_text(one), kept_text(other));
  EXPECT_EQ(kept_text(one), kept_text(one));
  EXPECT_EQ(kept_text(std::string(kMostHookText, 'x')), std::string(kMostHookText, 'x'));
}

TEST(HookLine, CutsBetweenCharacters) {
  std::string text;
  while (text.size() < 100'000) text += "ữ";
  for (const char* before : {"", "a", "ab"})
    EXPECT_THAT(kept_text(before + text), Not(HasSubstr("\xEF\xBF\xBD")));
}

TEST(SessionFileName, IsSafe) {
  EXPECT_EQ(session_file_name("7d1f0c52-6f0e_4C8B"), "7d1f0c52-6f0e_4C8B");
  EXPECT_EQ(session_file_name(""), "unnamed");
  for (const std::string_view odd : {"../../etc/passwd", ".", "a b", "a\nb", "ữ", "a/b"}) {
    const std::string name = session_file_name(odd);
    EXPECT_EQ(name.find_first_of("/ \n"), std::string::npos) << name;
    EXPECT_FALSE(name.starts_with('.')) << name;
    EXPECT_LT(name.size(), 130u);
  }
  EXPECT_NE(session_file_name("a/b"), session_file_name("a b"));
  const std::string longer(5000, 'x');
  EXPECT_LT(session_file_name(longer).size(), 130u);
  EXPECT_NE(session_file_name(longer), session_file_name(longer + "y"));
}

}  // namespace
}  // namespace vibe::trace
