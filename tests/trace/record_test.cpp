#include "trace/record.h"

#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/reading.h"

namespace vibe::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The records of the rubric that this program implements, as they stand there.
constexpr std::string_view kTools = R"(execution:
  tools:
    Read: {calls: 5, success: 5}
    Write: {calls: 2, success: 2}
    Bash: {calls: 3, success: 2}  # 1 failed
  total: 10
  successful: 9
  rate: 0.90  # 90%
)";
constexpr std::string_view kTimes = R"(execution:
  task_complexity: "medium"
  actual_time: 60s
  max_time: 120s
  efficiency: 0.50  # 50%

  # Alternative: tool-based
  actual_tools: 8
  max_tools: 15
  efficiency: 0.47  # 47%
)";
constexpr std::string_view kErrors = R"(execution:
  errors:
    - {type: "tool_fail", tool: "Bash", count: 2}
    - {type: "retry", count: 1}
  total_errors: 3
  error_rate: 0.30
  score_component: 0.70  # (1 - 0.30)
)";

std::string problems(const LogText& read) { return base::render(read.problems); }

// What counts as an error of the run itself; lines of the answer are not among them.
std::int64_t errors(const Execution& one) {
  return one.failed + one.repeats + one.api_retries + one.corrections + one.other_errors;
}

TEST(Record, HasCallsByTool) {
  const auto read = read_text(std::string(kTools));
  EXPECT_EQ(read.format, "record");
  const Execution one = only(read);
  EXPECT_EQ(one.tool_calls, 10);
  EXPECT_EQ(one.succeeded, 9);
  EXPECT_EQ(one.failed, 1);
  EXPECT_EQ(one.unknown, 0);
  EXPECT_TRUE(one.writes_files);
  EXPECT_TRUE(one.notes.empty());
  ASSERT_EQ(one.calls.size(), 10u);
  EXPECT_EQ(one.calls.back().name, "Bash");
  EXPECT_EQ(one.calls.back().outcome, Outcome::failure);
  EXPECT_TRUE(read_text(std::string(kTools), 1, false).executions.at(0).calls.empty());
}

TEST(Record, HasTimeAndTheNumberOfTools) {
  const Execution one = read_one(std::string(kTimes));
  EXPECT_EQ(one.complexity, "medium");
  EXPECT_EQ(one.active, 60);
  EXPECT_EQ(one.tool_calls, 8);
  EXPECT_EQ(one.unknown, 8);
  EXPECT_THAT(one.notes, ElementsAre("duplicate key `efficiency`: the first one is on line 5"));
}

TEST(Record, HasErrorsWithoutCalls) {
  const Execution one = read_one(std::string(kErrors));
  EXPECT_EQ(one.tool_calls, 0);
  EXPECT_EQ(one.repeats, 1);
  EXPECT_EQ(one.other_errors, 2);
  EXPECT_EQ(errors(one), 3);
}

// Of a call that failed the list of errors tells once more.
TEST(Record, CountsFailuresOnce) {
  const std::string tools = "execution:\n  tools: {Bash: {calls: 3, success: 1}}\n";
  for (const auto& [listed, want] : {std::pair{1, 2}, {2, 2}, {5, 5}}) {
    const Execution one = read_one(
        fmt::format("{}  errors: [{{type: tool_fail, tool: Bash, count: {}}}]\n", tools, listed));
    EXPECT_EQ(one.failed, 2);
    EXPECT_EQ(errors(one), want);
  }
}

TEST(Record, CountsEveryTypeOfError) {
  const Execution one = read_one(R"(execution:
  tools: {}
  errors:
    - {type: user_correction, count: 2}
    - {type: exception}
    - {type: strange, count: 4}
  total_errors: 9
)");
  EXPECT_EQ(one.corrections, 2);
  EXPECT_EQ(one.other_errors, 7);
  EXPECT_THAT(one.notes, ElementsAre("unknown error type `strange`; its errors still count"));
}

TEST(Record, ReadsEveryKey) {
  const Execution one = read_one(R"(# comment
---
execution:
  id: s1
  agent: reviewer@v2
  model: gpt-4o
  task_type: coding
  complexity: complex
  tools: {Edit: {calls: 2}}
  total: 3
  started: 2026-11-02T09:00:00Z
  ended: 2026-11-02T09:02:00Z
  actual_time: 1m30s
  prompt: Write it.
  output: |
    # Done

    - one
  mood: good
extra: 1
)");
  EXPECT_EQ(one.id, "s1");
  EXPECT_EQ(one.agent, "reviewer@v2");
  EXPECT_EQ(one.model, "gpt-4o");
  EXPECT_EQ(one.task_type, "coding");
  EXPECT_EQ(one.complexity, "complex");
  EXPECT_EQ(one.unknown, 2);
  EXPECT_EQ(one.duration, 120);
  EXPECT_EQ(one.active, 90);
  EXPECT_EQ(one.prompt, "Write it.");
  EXPECT_EQ(one.output, "# Done\n\n- one\n");
  EXPECT_THAT(one.notes, ElementsAre("unknown key `extra` ignored", "unknown key `mood` ignored",
                                     "`total` is 3, but the tools add up to 2; vibe uses the sum"));
}

class RecordFiles : public testing::Test {
 protected:
  RecordFiles() { std::filesystem::create_directories(folder_); }
  ~RecordFiles() override { std::filesystem::remove_all(folder_); }

  ReadLog read(std::string_view record) const {
    std::ofstream(folder_ / "log.yaml") << record;
    const Options options = options_for(1, true);
    return read_log({.path = folder_ / "log.yaml", .named = true, .sub_agents = {}}, nullptr,
                    options);
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / fmt::format("vibe-record-{}", ::getpid());
};

TEST_F(RecordFiles, AreTakenBesideIt) {
  std::ofstream(folder_ / "answer.md") << "# Done\n";
  const auto found = read("execution:\n  actual_time: 1\n  output_file: answer.md\n");
  ASSERT_EQ(found.executions.size(), 1u) << base::render(found.diagnostics);
  EXPECT_EQ(found.executions[0].output, "# Done\n");
}

TEST_F(RecordFiles, ArePlainOnes) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", folder_ / "zero");
  for (const char* file : {"pipe", "zero"}) {
    const auto found = read(fmt::format("execution:\n  actual_time: 1\n  output_file: {}\n", file));
    EXPECT_TRUE(found.executions.empty());
    EXPECT_THAT(base::render(found.diagnostics), HasSubstr("` is not a regular file"));
  }
}

TEST_F(RecordFiles, AreInItsFolder) {
  std::filesystem::create_directory(folder_ / "below");
  std::ofstream(folder_ / "answer.md") << "# Done\n";
  std::ofstream(folder_ / "below" / "..md") << "# Done\n";
  const std::string record = "execution:\n  actual_time: 1\n  output_file: ";
  EXPECT_EQ(read(record + "below/..md\n").executions.size(), 1u);
  for (const std::string& file :
       {(folder_ / "answer.md").string(), "../" + folder_.filename().string() + "/answer.md",
        std::string("below/../answer.md"), std::string("..")}) {
    const auto found = read(record + file + "\n");
    EXPECT_TRUE(found.executions.empty()) << file;
    EXPECT_THAT(base::render(found.diagnostics), HasSubstr("outside the record's folder"));
  }
}

// However many documents name one.
TEST_F(RecordFiles, AreOfSoManyBytesInAll) {
  std::ofstream(folder_ / "answer.md") << std::string(std::size_t{24} << 20, '\n') + "a";
  const std::string one = "---\nexecution:\n  actual_time: 1\n  output_file: answer.md\n";
  const auto found = read(one + one + one + "---\nexecution: {actual_time: 1, output: short}\n");
  EXPECT_EQ(found.executions.size(), 3u);
  EXPECT_EQ(found.diagnostics.errors(), 1u);
  EXPECT_THAT(base::render(found.diagnostics),
              AllOf(HasSubstr("answer.md`, the files named by `output_file` are"),
                    HasSubstr("larger than 64 MiB in total")));
}

TEST(Record, ListsAFewNotes) {
  std::string record = "execution:\n  total: 3\n  tools: {Bash: {calls: 1}}\n";
  for (int i = 0; i < 1000; ++i) record += fmt::format("  key{}: 1\n", i);
  const Execution one = read_one(record + "  errors: [{type: a}, {type: b}]\n");
  ASSERT_EQ(one.notes.size(), 7u);
  EXPECT_EQ(one.notes[4], "unknown key `key4` ignored");
  EXPECT_EQ(one.notes[5], "and 997 more of that kind");
  EXPECT_EQ(one.notes[6], "`total` is 3, but the tools add up to 1; vibe uses the sum");
  EXPECT_EQ(one.other_errors, 2);
}

// Few bytes of a record can stand for many calls.
TEST(Record, ListsSoManyCallsInAll) {
  std::string record;
  for (int i = 0; i < 20; ++i)
    record += fmt::format("---\nexecution:\n  tools: {{{}: {{calls: 10000, success: 1}}}}\n",
                          std::string(1000, 'x'));
  const auto read = read_text(record);
  ASSERT_EQ(read.executions.size(), 20u);
  std::size_t calls = 0;
  for (const Execution& one : read.executions) {
    EXPECT_EQ(one.tool_calls, 10'000);
    calls += one.calls.size();
  }
  EXPECT_EQ(calls, 100'000u);
  EXPECT_LT(read.executions[0].calls[0].name.size(), 200u);
}

TEST(Record, EachDocumentIsAnExecution) {
  const auto read = read_text("execution: {actual_time: 1s}\n---\n" + std::string(kErrors) +
                              "...\n# the end\n---\nexecution: {actual_time: 3s}\n");
  ASSERT_EQ(read.executions.size(), 3u);
  EXPECT_EQ(read.executions[2].active, 3);
}

TEST(Record, AWrongDocumentLeavesTheOthers) {
  const auto read = read_text(
      "execution: {actual_time: 1s}\n---\nexecution:\n  tools: {Bash: {calls: many}}\n---\n"
      "execution: {actual_time: [\n---\nexecution: {actual_time: 3s}\n");
  EXPECT_EQ(read.executions.size(), 2u);
  EXPECT_THAT(problems(read),
              HasSubstr("log:4:25: error: `calls` is `many`, expected a whole number"));
  EXPECT_THAT(problems(read), HasSubstr("log:7:"));
}

struct WrongCase {
  const char* name;
  const char* record;
  const char* want;
};
const WrongCase kWrong[] = {
    {"list", "execution: []  # tools:", "`execution` is a list, expected a table"},
    {"tools", "  tools: 5", "`tools` is `5`, expected a table of tools"},
    {"tool", "  tools: {Bash: 5}", "`Bash` is `5`, expected `{calls: N, success: N}`"},
    {"no_calls", "  tools: {Bash: {success: 5}}", "`Bash` has no `calls`"},
    {"negative", "  tools: {Bash: {calls: -5}}", "`calls` is -5, but must be from 0 to"},
    {"too_good", "  tools: {Bash: {calls: 1, success: 2}}", "`Bash` succeeded 2 times in 1 calls"},
    {"errors", "  errors: none", "`errors` is `none`, expected a list"},
    {"error", "  errors: [retry]", "`errors` is `retry`, expected a list of"},
    {"no_type", "  errors: [{count: 1}]", "the error has no `type`"},
    {"count", "  errors: [{type: retry, count: 1.5}]", "`count` is `1.5`, expected a whole number"},
    {"time", "  actual_time: soon", "`actual_time` is `soon`, expected a time such as `60s`"},
    {"started", "  started: 1 o'clock\n  errors: []", "`started` is `1 o'clock`, expected a time"},
    {"complexity", "  task_complexity: hard", "`task_complexity` is `hard`"},
    {"type", "  task_type: chat\n  errors: []", "`task_type` is `chat`"},
    {"output", "  output: {a: 1}\n  errors: []", "`output` is a table, expected text"},
    {"output_file", "  output_file: no/such.md\n  errors: []", "cannot read `no/such.md`"},
    {"tools_twice", "  tools: {A: {calls: 1}}\n  tools: {A: {calls: 1}}", "`tools` appears twice"},
    {"a_tool_twice", "  tools: {A: {calls: 1}, A: {calls: 2}}", "`A` appears twice"},
    {"calls_twice", "  tools: {A: {calls: 1, calls: 2}}", "`calls` appears twice"},
    {"count_twice", "  errors: [{type: retry, count: 1, count: 2}]", "`count` appears twice"},
    {"execution_twice", "execution: {errors: []}\nexecution: {errors: []}",
     "`execution` appears twice"},
    {"two_complexities", "  complexity: simple\n  task_complexity: complex",
     "`task_complexity` is `complex`, but the record also says `simple`"},
    {"backwards", "  errors: []\n  ended: 2026-11-02T08:00:00Z\n  started: 2026-11-02T09:00:00Z",
     "`ended` is before `started`"},
};
class WrongRecord : public testing::TestWithParam<WrongCase> {};
TEST_P(WrongRecord, IsSaid) {
  const std::string record = GetParam().record;
  const auto read = read_text(record.starts_with("exec") ? record : "execution:\n" + record);
  EXPECT_EQ(read.format, "record");
  EXPECT_TRUE(read.executions.empty());
  EXPECT_THAT(problems(read), HasSubstr(GetParam().want));
}
INSTANTIATE_TEST_SUITE_P(Record, WrongRecord, testing::ValuesIn(kWrong),
                         [](const auto& one) { return one.param.name; });

TEST(Record, WrongCallsAreOneMistake) {
  const auto read = read_text("execution:\n  tools: {x: {calls: 1e3, success: 1}}\n");
  EXPECT_EQ(read.problems.errors(), 1u) << problems(read);
  EXPECT_THAT(problems(read), HasSubstr("`calls` is `1e3`, expected a whole number"));
}

TEST(Record, MaySayTheSameComplexityTwice) {
  EXPECT_EQ(read_one("execution:\n  complexity: simple\n  task_complexity: simple\n").complexity,
            "simple");
}

TEST(Record, IsToldByItsFirstLine) {
  EXPECT_TRUE(is_record("\xEF\xBB\xBF# c\n\n%YAML 1.1\n---\nexecution:\n  x: 1\n  errors: []\n"));
  EXPECT_TRUE(is_record("execution: {tools: {}}"));
  for (const char* other :
       {"", "suite:\n  name: a\nevals:\n  - prompt: tools: x\n", "execution:\n- concurrency: 10\n",
        "# tools:\n", "executions:\n  tools: {}\n", "name: x\nexecution:\n  tools: {}\n",
        "execution: {}\n---\ntools: 1\n", "{\"execution\": {\"tools\": {}}}"})
    EXPECT_FALSE(is_record(other)) << other;
  // Also where the answer holds lines of another log.
  EXPECT_EQ(read_text("execution:\n  errors: []\n  output: |\n"
                      "    {\"ts\":1700000000,\"tool\":\"Bash\",\"exit\":0}\n")
                .format,
            "record");
}

TEST(RecordSeconds, Are) {
  for (const auto& [text, want] : {std::pair{"60s", 60.0},
                                   {"60", 60.0},
                                   {" 1m30s ", 90.0},
                                   {"1.5 min", 90.0},
                                   {"500ms", 0.5},
                                   {"1h 2m 3s", 3723.0},
                                   {"0s", 0.0},
                                   {"2 h", 7200.0}})
    EXPECT_EQ(record_seconds(text), want) << text;
  for (const char* text : {"", "s", "-5s", "5x", "1m30", "30 1m", "1e400", "..", "9999999999999s",
                           "0s5", "0m 30", "0 5"})
    EXPECT_EQ(record_seconds(text), std::nullopt) << text;
}

}  // namespace
}  // namespace vibe::trace
