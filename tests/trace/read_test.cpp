// Which format a log is told to be by its beginning.
#include "trace/read.h"

#include <atomic>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "base/temp_folder.h"
#include "trace/reading.h"

namespace vibe::trace {
namespace {

struct SniffCase {
  const char* name;
  const char* head;
  const char* want;  // empty: none
};
class Sniff : public testing::TestWithParam<SniffCase> {};

TEST_P(Sniff, OneFormatFits) {
  const auto told = tell_format(GetParam().head, "log");
  EXPECT_EQ(told ? (*told)->name : "", GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Trace, Sniff,
    testing::Values(
        SniffCase{"gemini_record", R"({"sessionId": "s", "projectHash": "h", "startTi)", "gemini"},
        SniffCase{"gemini_message", R"({"id":"m","timestamp":"t","type":"gemini","content":")",
                  "gemini"},
        SniffCase{"gemini_stream",
                  R"({"type":"init","timestamp":"t","session_id":"s","model":"m"})", "gemini"},
        SniffCase{
            "gemini_stream_call",
            R"({"type":"tool_use","timestamp":"t","tool_name":"n","tool_id":"i","parameters":{}})",
            "gemini"},
        SniffCase{"claude_no_gemini",
                  R"({"type":"user","uuid":"u","sessionId":"s","timestamp":"t","message":{}})",
                  "claude"},
        SniffCase{
            "claude_stream_no_gemini",
            R"({"type":"system","subtype":"init","session_id":"s","model":"m","timestamp":"t"})",
            "claude-stream"},
        SniffCase{"codex_no_gemini",
                  R"({"timestamp":"t","type":"session_meta","payload":{"id":"i"}})", "codex"},
        SniffCase{"hook_no_gemini",
                  R"({"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash"})",
                  "hook"},
        SniffCase{"mini_swe_agent_no_gemini",
                  R"({"messages":[{"role":"user","content":"x"}],"info":{}})", "mini-swe-agent"},
        SniffCase{"openhands_v1_cut",
                  R"({"id": "e", "source": "agent", "system_prompt": {"text": "You are)",
                  "openhands"},
        SniffCase{
            "openhands_event_cut",
            R"({"id": 0, "timestamp": "t", "source": "user", "message": "x", "action": "message", "args)",
            "openhands"},
        SniffCase{
            "openhands_page_of_events",
            R"({"items": [{"id": "e", "source": "user", "kind": "MessageEvent"}], "next_page_id": null})",
            "openhands"},
        SniffCase{"openhands_evaluation",
                  R"({"instance_id": "i", "instruction": "x", "history": [[{"action": "run"}]]})",
                  "openhands"},
        SniffCase{
            "openhands_evaluation_cut",
            R"({"instance_id": "i", "test_result": {}, "metadata": {"max_iterations": 5, "llm": {)",
            "openhands"},
        SniffCase{
            "openhands_issue",
            R"({"issue": {"owner": "o", "number": 5}, "git_patch": "d", "history": [{"action": "run"}]})",
            "openhands"},
        SniffCase{
            "swe_agent_no_openhands",
            R"({"trajectory": [{"action": "ls", "observation": "a", "thought": "t"}], "history": [], "info": {}})",
            "swe-agent"},
        SniffCase{"mini_swe_agent_no_openhands",
                  R"({"instance_id": "i", "info": {}, "messages": [{"role": "user"}]})",
                  "mini-swe-agent"},
        SniffCase{
            "atif_no_openhands",
            R"({"schema_version": "ATIF-v1", "steps": [{"source": "agent", "message": "x"}]})",
            "atif"},
        SniffCase{"claude_no_openhands",
                  R"({"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user"}})",
                  "claude"},
        SniffCase{"hook_no_openhands",
                  R"({"ts": "t", "tool": "Bash", "exit": 0, "source": "agent"})", "hook"},
        SniffCase{"span_no_openhands",
                  R"({"kind": "SPAN_KIND_INTERNAL", "source": "agent", "name": "x"})", ""},
        SniffCase{"inspect_no_openhands",
                  R"({"version": 2, "eval": {}, "events": [{"event": "tool", "source": "agent"}]})",
                  ""},
        SniffCase{"swe_bench_prediction_no_openhands",
                  R"({"instance_id": "i", "model_patch": "d", "model_name_or_path": "m"})", ""}),
    [](const auto& row) { return row.param.name; });

TEST(Formats, SayWhatIsReadFromWhere) {
  for (const LogFormat& format : formats()) EXPECT_FALSE(format.fields.empty()) << format.name;
}

// Of a log that nobody wants any more no more is read, packed or not.
TEST(Read, EndsWithWhoWantedIt) {
  const auto folder = base::TempFolder::make().value();
  const std::string path = folder.path() + "/log";
  std::ofstream(path) << R"({"type":"user","uuid":"u","sessionId":"s","timestamp":"t",)"
                      << R"("message":{"role":"user","content":"hello"}})" << '\n';
  std::atomic<bool> is_unwanted = false;
  Options options = options_for(1, false);
  options.is_unwanted = &is_unwanted;
  const LogFile log{path, true, {}};
  EXPECT_EQ(read_log(log, nullptr, options).executions.size(), 1u);
  is_unwanted = true;
  const auto read = read_log(log, nullptr, options);
  EXPECT_TRUE(read.executions.empty());
  ASSERT_FALSE(read.diagnostics.empty());
  EXPECT_EQ(read.diagnostics.all()[0].code, base::Code::cannot_read);
}

}  // namespace
}  // namespace vibe::trace
