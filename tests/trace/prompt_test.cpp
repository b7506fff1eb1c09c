// What was asked for last, in every format that tells it.
#include <gtest/gtest.h>

#include "trace/reading.h"

namespace vibe::trace {
namespace {

struct PromptCase {
  const char* name;
  const char* format;
  const char* log;
  const char* want;
};
const PromptCase kPrompts[] = {
    {"claude", "claude",
     R"({"type":"user","sessionId":"s","timestamp":"2026-11-02T09:00:00Z","message":{"role":"user","content":"first"}}
{"type":"assistant","sessionId":"s","timestamp":"2026-11-02T09:00:01Z","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"one"}]}}
{"type":"user","sessionId":"s","timestamp":"2026-11-02T09:00:02Z","message":{"role":"user","content":[{"type":"text","text":"second"}]}}
{"type":"user","sessionId":"s","timestamp":"2026-11-02T09:00:03Z","isMeta":true,"message":{"role":"user","content":"meta"}}
{"type":"user","sessionId":"s","timestamp":"2026-11-02T09:00:03Z","message":{"role":"user","content":"<command-name>/clear</command-name>"}}
{"type":"user","sessionId":"s","timestamp":"2026-11-02T09:00:03Z","isSidechain":true,"message":{"role":"user","content":"of a sub-agent"}}
{"type":"user","sessionId":"s","timestamp":"2026-11-02T09:00:04Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"a result"}]}}
{"type":"assistant","sessionId":"s","timestamp":"2026-11-02T09:00:05Z","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"two"}]}})",
     "second"},
    {"claude_not_answered", "claude",
     R"({"type":"user","sessionId":"s","timestamp":"2026-11-02T09:00:00Z","message":{"role":"user","content":"first"}}
{"type":"assistant","sessionId":"s","timestamp":"2026-11-02T09:00:01Z","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"one"}]}}
{"type":"user","sessionId":"s","timestamp":"2026-11-02T09:00:02Z","message":{"role":"user","content":"too late"}})",
     "first"},
    {"claude_without_any_answer", "claude",
     R"({"type":"user","sessionId":"s","timestamp":"2026-11-02T09:00:00Z","message":{"role":"user","content":"first"}}
{"type":"user","sessionId":"s","timestamp":"2026-11-02T09:00:02Z","message":{"role":"user","content":"second"}})",
     "second"},
    {"claude_stream", "claude-stream",
     R"({"type":"system","subtype":"init","session_id":"s","model":"m"}
{"type":"user","session_id":"s","message":{"role":"user","content":"count them"}}
{"type":"assistant","session_id":"s","message":{"id":"m","content":[{"type":"text","text":"3"}]}}
{"type":"result","session_id":"s","is_error":false,"result":"3"})",
     "count them"},
    {"codex", "codex",
     R"({"timestamp":"2026-11-02T09:00:00Z","type":"session_meta","payload":{"id":"s"}}
{"timestamp":"2026-11-02T09:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n</environment_context>"}]}}
{"timestamp":"2026-11-02T09:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"fix it"}}
{"timestamp":"2026-11-02T09:00:02Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"fixed"}]}})",
     "fix it"},
    {"codex_without_an_envelope", "codex",
     R"({"id":"s","timestamp":"2025-08-06T18:02:11Z","instructions":null}
{"type":"message","role":"user","content":[{"type":"input_text","text":"<user_instructions>\nno\n</user_instructions>"}]}
{"type":"message","role":"user","content":[{"type":"input_text","text":"list them"}]}
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a, b"}]})",
     "list them"},
    {"codex_exec", "codex-exec",
     R"({"id":"0","msg":{"type":"session_configured","session_id":"s","model":"m"}}
{"prompt":"list them"}
{"id":"0","msg":{"type":"agent_message","message":"a, b"}})",
     "list them"},
    {"hook", "hook",
     R"({"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"say \"hi\"\n"}
{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Task","tool_input":{"prompt":"not this"},"prompt":"nor this"}
{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"<task-notification>done</task-notification>"}
{"session_id":"s","hook_event_name":"Stop","last_assistant_message":"hi"})",
     "say \"hi\"\n"},
    {"hook_of_another_kind", "hook",
     R"({"timestamp":"2026-11-02T09:00:00Z","type":"prompt","session":"s","prompt":"go"}
{"timestamp":"2026-11-02T09:00:01Z","type":"tool","tool":"Bash","session":"s","prompt":"not this"})",
     "go"},
    {"gemini", "gemini",
     R"({"sessionId":"s","projectHash":"h","messages":[
{"id":"1","timestamp":"2026-11-02T09:00:00Z","type":"user","content":"first"},
{"id":"2","timestamp":"2026-11-02T09:00:01Z","type":"gemini","content":"one"},
{"id":"3","timestamp":"2026-11-02T09:00:02Z","type":"user","content":[{"text":"second"}]},
{"id":"4","timestamp":"2026-11-02T09:00:03Z","type":"gemini","content":"two"}]})",
     "second"},
    {"gemini_stream", "gemini",
     R"({"type":"init","timestamp":"2026-11-02T09:00:00Z","session_id":"s","model":"m"}
{"type":"message","timestamp":"2026-11-02T09:00:00Z","role":"user","content":"first"}
{"type":"message","timestamp":"2026-11-02T09:00:01Z","role":"assistant","content":"on","delta":true}
{"type":"message","timestamp":"2026-11-02T09:00:01Z","role":"assistant","content":"e","delta":true}
{"type":"message","timestamp":"2026-11-02T09:00:02Z","role":"user","content":"not answered"})",
     "first"},
    {"inspect", "inspect",
     R"({"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":[{"id":1,"epoch":1,
"input":"attachment://abc","messages":[{"role":"user","content":"made of it"}],
"output":{"completion":"42"},"attachments":{"abc":"what is it?"}}]})",
     "what is it?"},
    {"inspect_messages", "inspect",
     R"({"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":[{"id":1,"epoch":1,
"input":[{"role":"system","content":"be kind"},{"role":"user","content":[{"type":"text","text":"hello"}]}],
"output":{"completion":"hi"}}]})",
     "hello"},
    {"openhands", "openhands",
     R"([{"id":0,"timestamp":"2025-01-01T00:00:00","source":"user","action":"message","args":{"content":"do it"}},
{"id":1,"timestamp":"2025-01-01T00:00:01","source":"agent","action":"message","args":{"content":"done"}}])",
     "do it"},
    {"openhands_v1", "openhands",
     R"({"kind":"MessageEvent","source":"user","timestamp":"2025-01-01T00:00:00","llm_message":{"role":"user","content":[{"type":"text","text":"do it"}]}}
{"kind":"MessageEvent","source":"agent","timestamp":"2025-01-01T00:00:01","llm_message":{"role":"assistant","content":[{"type":"text","text":"done"}]}})",
     "do it"},
    {"openhands_evaluation", "openhands",
     R"({"instance_id":"i","instruction":"solve it","metrics":{},"history":[
{"id":0,"source":"user","action":"message","args":{"content":"<task>solve it</task>"}},
{"id":1,"source":"agent","action":"message","args":{"content":"how?"}},
{"id":2,"source":"user","action":"message","args":{"content":"please go on"}},
{"id":3,"source":"agent","action":"message","args":{"content":"solved"}}]})",
     "solve it"},
    {"atif", "atif",
     R"({"schema_version":"ATIF-v1.5","session_id":"s","agent":{"name":"a"},"steps":[
{"step_id":1,"source":"system","message":"be kind"},
{"step_id":2,"source":"user","message":"hello"},
{"step_id":3,"source":"agent","message":"hi"}]})",
     "hello"},
    {"swe_agent", "swe-agent",
     R"({"environment":"e","trajectory":[{"action":"ls","observation":"a","response":"look"}],"history":[
{"role":"system","content":"be kind"},{"role":"user","content":"a demonstration","is_demo":true},
{"role":"user","content":"solve the issue"},{"role":"user","content":"a.py"}],"info":{}})",
     "solve the issue"},
    {"mini_swe_agent", "mini-swe-agent",
     R"({"info":{},"messages":[{"role":"system","content":"be kind"},{"role":"user","content":"solve it"},
{"role":"assistant","content":"nothing to run"},{"role":"user","content":"give one action"},
{"role":"assistant","content":"done"}]})",
     "solve it"},
    {"otel", "otel",
     R"([{"trace_id":"t","span_id":"1","name":"chat","startTimeUnixNano":"1000","endTimeUnixNano":"2000","attributes":{
"gen_ai.input.messages":"[{\"role\":\"system\",\"parts\":[{\"type\":\"text\",\"content\":\"be kind\"}]},{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"weather?\"}]},{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"wait\"}]},{\"role\":\"user\",\"parts\":[{\"type\":\"tool_call_response\",\"response\":\"rain\"}]}]",
"gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"rain\"}]}]"}}])",
     "weather?"},
};
class PromptOf : public testing::TestWithParam<PromptCase> {};
TEST_P(PromptOf, IsRead) {
  const LogText read = read_text(GetParam().log);
  EXPECT_EQ(read.format, GetParam().format) << base::render(read.problems);
  EXPECT_EQ(only(read).prompt, GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(Trace, PromptOf, testing::ValuesIn(kPrompts),
                         [](const auto& one) { return one.param.name; });

std::string asking(const std::string& text) {
  return R"({"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":")" + text + "\"}\n";
}

TEST(Prompt, KeepsTheBeginningAndTheEndOfALongOne) {
  std::string text = "begin";
  while (text.size() < 40'000) text += "ữ";
  text += "end";
  const std::string kept = read_one(asking(text)).prompt;
  EXPECT_LE(kept.size(), kMostPrompt);
  EXPECT_GT(kept.size(), kMostPrompt - 16);
  EXPECT_TRUE(kept.starts_with("beginữ"));
  EXPECT_TRUE(kept.ends_with("ữend"));
  EXPECT_NE(kept.find("ữ\n…\nữ"), std::string::npos);
  EXPECT_EQ(read_one(asking(std::string(kMostPrompt, 'x'))).prompt, std::string(kMostPrompt, 'x'));
}

TEST(Prompt, IsNotClearedByOneThatIsEmpty) {
  EXPECT_EQ(read_one(asking("go") + asking("") + asking("  ")).prompt, "go");
}

}  // namespace
}  // namespace vibe::trace
