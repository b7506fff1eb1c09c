// Reads executions from files, folders, and the agents' own folders.
#include "app/agents/read_executions.h"

#include <gtest/gtest.h>

#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;
using Sessions = std::vector<std::string>;

struct Reader : UserHome {
  ReadRequest request;
  Sessions sessions;
  ReadExecutions found;

  const Sessions& read(std::vector<std::string> logs) {
    request.logs = std::move(logs);
    request.threads = 1;
    sessions.clear();
    found = read_executions(request, [&](trace::Execution one) { sessions.push_back(one.id); });
    return sessions;
  }
  Found codes() const { return all_codes(found.diagnostics); }
};

TEST(ReadExecutions, InTheOrderOfTheLogs) {
  Reader reader;
  const auto b = reader.write("b.jsonl", log_line("three", 0) + log_line("one", 0));
  const auto a = reader.write("a.jsonl", log_line("two", 0));
  EXPECT_EQ(reader.read({b, a}), (Sessions{"three", "one", "two"}));
  EXPECT_TRUE(reader.found.diagnostics.empty()) << base::render(reader.found.diagnostics);
  EXPECT_FALSE(reader.found.newest);
}

TEST(ReadExecutions, WhatIsNoLogInAFolderIsSkipped) {
  Reader reader;
  reader.write("logs/a.jsonl", log_line("one", 0));
  reader.write("logs/notes.txt", "dear diary\n");
  EXPECT_EQ(reader.read({reader.path("logs")}), Sessions{"one"});
  EXPECT_EQ(reader.codes(), Found{Code::skipped_file});
  EXPECT_FALSE(reader.found.diagnostics.failed());
  // A named file that is not a log is an error.
  EXPECT_TRUE(reader.read({reader.path("logs/notes.txt")}).empty());
  EXPECT_EQ(reader.codes(), Found{Code::unknown_log});
}

TEST(ReadExecutions, WhatWasReadStandsBesideWhatCouldNotBe) {
  Reader reader;
  const auto good = reader.write("a.jsonl", log_line("one", 0));
  EXPECT_EQ(reader.read({reader.path("none.jsonl"), good}), Sessions{"one"});
  EXPECT_TRUE(reader.found.diagnostics.failed());
}

struct UnreadCase {
  const char* name;
  std::function<std::vector<std::string>(Reader&)> logs;
  Found want;
};
class UnreadLogs : public testing::TestWithParam<UnreadCase> {};

TEST_P(UnreadLogs, Say) {
  Reader reader;
  const auto logs = GetParam().logs(reader);
  EXPECT_TRUE(reader.read(logs).empty());
  EXPECT_EQ(reader.codes(), GetParam().want) << base::render(reader.found.diagnostics);
}

INSTANTIATE_TEST_SUITE_P(
    ReadExecutions, UnreadLogs,
    testing::Values(
        UnreadCase{
            "nothing_anywhere", [](Reader&) { return std::vector<std::string>(); }, {Code::no_log}},
        UnreadCase{
            "empty_name", [](Reader&) { return std::vector<std::string>{""}; }, {Code::bad_usage}},
        UnreadCase{"empty_folder",
                   [](Reader& reader) {
                     std::filesystem::create_directory(reader.path("logs"));
                     return std::vector{reader.path("logs")};
                   },
                   {Code::empty_log}},
        UnreadCase{"empty_file",
                   [](Reader& reader) { return std::vector{reader.write("a.jsonl", "")}; },
                   {Code::empty_log}},
        UnreadCase{"unknown_format",
                   [](Reader& reader) {
                     reader.request.format = "claud";
                     return std::vector{reader.write("a.jsonl", log_line("one", 0))};
                   },
                   {Code::bad_usage}}),
    [](const auto& row) { return row.param.name; });

TEST(ReadExecutions, AFormatThatIsNearIsNamed) {
  Reader reader;
  reader.request.format = "claud";
  reader.read({"a"});
  EXPECT_NE(first_hint(reader.found.diagnostics).find("`claude`"), std::string::npos);
}

TEST(ReadExecutions, TheNewestSessionIsTakenWhereNoneIsNamed) {
  Reader reader;
  const std::string line =
      "{\"type\":\"user\",\"sessionId\":\"mine\",\"timestamp\":\"2026-03-02T10:00:00Z\","
      "\"message\":{\"role\":\"user\",\"content\":\"Do it.\"}}\n";
  test::write_bytes(reader.user() + "/.claude/projects/p/mine.jsonl", line);
  EXPECT_EQ(reader.read({}), Sessions{"mine"});
  EXPECT_EQ(reader.found.newest, "~/.claude/projects/p/mine.jsonl");
  reader.set("CLAUDE_CONFIG_DIR", reader.path("elsewhere"));
  EXPECT_TRUE(reader.read({}).empty());
  EXPECT_EQ(reader.codes(), Found{Code::no_log});
}

TEST(ReadExecutions, TooManySessionsOfALogAreAnError) {
  Reader reader;
  const auto path =
      reader.write("a.jsonl", log_line("one", 0) + log_line("two", 0) + log_line("three", 0));
  reader.request.most_sessions = 2;
  reader.read({path});
  EXPECT_TRUE(reader.found.diagnostics.failed());
  reader.request.most_sessions = 3;
  EXPECT_EQ(reader.read({path}).size(), 3u);
}

TEST(ReadExecutions, EndsWhenNobodyWantsIt) {
  Reader reader;
  const std::atomic<bool> is_unwanted = true;
  reader.request.is_unwanted = &is_unwanted;
  EXPECT_TRUE(reader.read({reader.write("a.jsonl", log_line("one", 0))}).empty());
}

TEST(ReadExecutions, ABrokenConfigurationIsSaid) {
  Reader reader;
  reader.write_home("config.yaml", "threads: many\n");
  EXPECT_TRUE(reader.read({reader.write("a.jsonl", log_line("one", 0))}).empty());
  EXPECT_TRUE(reader.found.diagnostics.failed());
}

}  // namespace
}  // namespace vibe::app
