// Collects hook events, and installs the hooks in the agent's settings.
#include "app/agents/collect.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "app/agents/agent_home.h"
#include "app/agents/hook_settings.h"
#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;

struct Collected : UserHome {
  void collect(const std::string& event) const {
    auto input = base::Input::of("event", event);
    app::collect({.home = home(), .agent = ""}, input);
  }
  std::vector<std::string> logs() const {
    std::vector<std::string> out;
    std::error_code ignored;
    for (const auto& one : std::filesystem::directory_iterator(home() + "/executions", ignored))
      out.push_back(one.path().filename().string());
    std::ranges::sort(out);
    return out;
  }
  std::string log(const std::string& name) const {
    return test::read_bytes(home() + "/executions/" + name);
  }
  std::string problems() const { return test::read_bytes(home() + "/collect.log"); }
};

std::string hook_event(std::string_view session, std::string_view name,
                       std::string_view more = {}) {
  return "{\"session_id\":\"" + std::string(session) + "\",\"hook_event_name\":\"" +
         std::string(name) + "\"" + std::string(more) + "}";
}

TEST(Collect, EverySessionHasAFile) {
  Collected world;
  world.collect(hook_event("one", "PreToolUse", ",\"tool_name\":\"Bash\""));
  world.collect(hook_event("one", "PostToolUse", ",\"tool_name\":\"Bash\""));
  world.collect(hook_event("two", "UserPromptSubmit", ",\"prompt\":\"a\\nb\""));
  EXPECT_EQ(world.logs(), (std::vector<std::string>{"one.jsonl", "two.jsonl"}));
  EXPECT_EQ(std::ranges::count(world.log("one.jsonl"), '\n'), 2);
  EXPECT_EQ(std::ranges::count(world.log("two.jsonl"), '\n'), 1);
  EXPECT_EQ(world.problems(), "");
  EXPECT_FALSE(std::filesystem::exists(world.home() + "/vibecheck.db"));  // no store is opened
}

TEST(Collect, OthersMayNotReadIt) {
  Collected world;
  world.collect(hook_event("one", "PreToolUse"));
  struct stat found{};
  ASSERT_EQ(::stat((world.home() + "/executions").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0077, 0u);
}

TEST(Collect, ASessionCannotNameAFileElsewhere) {
  Collected world;
  world.collect(hook_event("../../escaped", "PreToolUse"));
  EXPECT_EQ(world.logs().size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(world.home() + "/../escaped.jsonl"));
}

class NoEvents : public testing::TestWithParam<const char*> {};

TEST_P(NoEvents, AreNotedAndNothingElse) {
  Collected world;
  world.collect(GetParam());
  EXPECT_TRUE(world.logs().empty());
  EXPECT_EQ(std::ranges::count(world.problems(), '\n'), 1) << world.problems();
}

INSTANTIATE_TEST_SUITE_P(Collect, NoEvents,
                         testing::Values("", "   ", "{", "[]", "nothing\nat all", "{\"a\": 1}"));

TEST(Collect, AStopWhoseTranscriptCannotBeReadIsNoted) {
  Collected world;
  ASSERT_EQ(::mkfifo(world.path("pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(world.path("folder"));
  std::size_t count = 0;
  for (const std::string& path :
       {std::string("-"), world.path("pipe"), world.path("folder"), std::string()}) {
    world.collect(hook_event("one", "Stop", ",\"transcript_path\":\"" + path + "\""));
    EXPECT_EQ(std::ranges::count(world.problems(), '\n'), ++count) << world.problems();
  }
  EXPECT_EQ(std::ranges::count(world.log("one.jsonl"), '\n'), 4);  // the events are kept
}

TEST(Collect, WhereNothingCanBeWrittenItIsQuiet) {
  Collected world;
  test::write_bytes(world.home(), "a file");
  world.collect(hook_event("one", "PreToolUse"));
  note_collect_problem(world.home(), "more");
  EXPECT_EQ(test::read_bytes(world.home()), "a file");
}

TEST(Collect, AnEventThatIsTooLargeIsNoted) {
  Collected world;
  world.collect(hook_event("one", "PreToolUse",
                           ",\"a\":\"" + std::string(std::size_t{65} << 20, 'x') + "\""));
  EXPECT_TRUE(world.logs().empty());
  EXPECT_NE(world.problems().find("64 MiB"), std::string::npos);
}

TEST(ScoringWords, NameTheTranscriptLast) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(scoring_words("-a.jsonl", ""), (Words{"fitness", "score", "--", "-a.jsonl"}));
  EXPECT_EQ(scoring_words("a", "me@v1"),
            (Words{"fitness", "score", "--agent", "me@v1", "--", "a"}));
}

// ---- the agent's settings

struct Settings : UserHome {
  std::string file() const { return user() + "/.claude/settings.json"; }
  std::string text() const { return test::read_bytes(file()); }
};

TEST(InstallHooks, OnceAndOutAgain) {
  Settings world;
  const auto first = install_hooks({.of = SettingsOf::user, .agent = "me@v1"});
  ASSERT_TRUE(first) << base::render(first.error());
  EXPECT_EQ(first->file, world.file());
  EXPECT_EQ(first->events, kHookEvents.size());
  EXPECT_NE(first->command.find("fitness collect --agent me@v1"), std::string::npos);
  const auto text = world.text();
  EXPECT_NE(text.find("PostToolUse"), std::string::npos);
  const auto again = install_hooks({.of = SettingsOf::user, .agent = "me@v1"});
  EXPECT_EQ(again->events, 0u);
  EXPECT_EQ(world.text(), text);
  const auto removed = uninstall_hooks(SettingsOf::user);
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->events, kHookEvents.size());
  EXPECT_EQ(removed->command, "");
  EXPECT_EQ(world.text().find("fitness collect"), std::string::npos);
}

TEST(InstallHooks, OfAProjectAreInItsFolder) {
  Settings world;
  ASSERT_TRUE(install_hooks({.of = SettingsOf::project, .agent = ""}));
  EXPECT_TRUE(std::filesystem::exists(world.path(".claude/settings.json")));
  EXPECT_FALSE(std::filesystem::exists(world.file()));
  world.set("CLAUDE_CONFIG_DIR", world.path("elsewhere"));
  ASSERT_TRUE(install_hooks({.of = SettingsOf::user, .agent = ""}));
  EXPECT_TRUE(std::filesystem::exists(world.path("elsewhere/settings.json")));
}

TEST(InstallHooks, NothingToTakeOutLeavesNoFile) {
  Settings world;
  const auto removed = uninstall_hooks(SettingsOf::user);
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->events, 0u);
  EXPECT_FALSE(std::filesystem::exists(world.file()));
}

TEST(InstallHooks, SettingsThatAreNotAsTheyShouldBeAreLeftAlone) {
  Settings world;
  for (const char* text : {"[1]", "{\"hooks\": 1}", "{"}) {
    test::write_bytes(world.file(), text);
    const auto installed = install_hooks({});
    ASSERT_FALSE(installed) << text;
    EXPECT_EQ(all_codes(installed.error()), Found{Code::bad_document});
    EXPECT_EQ(world.text(), text);
  }
}

TEST(InstallHooks, WhatIsNoFileIsSaid) {
  Settings world;
  std::filesystem::create_directories(world.file());
  EXPECT_EQ(all_codes(install_hooks({}).error()), Found{Code::cannot_read});
  std::filesystem::remove(world.file());
  std::filesystem::create_symlink("nowhere", world.file());
  EXPECT_EQ(all_codes(install_hooks({}).error()), Found{Code::cannot_read});
  EXPECT_TRUE(std::filesystem::is_symlink(world.file()));
}

// ---- agent folders

TEST(AgentHome, IsWhereTheVariableSays) {
  UserHome user;
  EXPECT_EQ(agent_home("CODEX_HOME", ".codex"), user.user() + "/.codex");
  user.set("CODEX_HOME", "/elsewhere");
  EXPECT_EQ(agent_home("CODEX_HOME", ".codex"), "/elsewhere");
  user.set("CODEX_HOME", "");  // the same as unset
  EXPECT_EQ(agent_home("CODEX_HOME", ".codex"), user.user() + "/.codex");
}

TEST(AgentHome, PathsOfTheUserAreShownShort) {
  UserHome user;
  EXPECT_EQ(with_tilde(user.user() + "/.codex/a"), "~/.codex/a");
  EXPECT_EQ(with_tilde(user.user() + "-other/a"), user.user() + "-other/a");
  EXPECT_EQ(with_tilde("/a"), "/a");
  user.unset("HOME");
  EXPECT_EQ(with_tilde("/a"), "/a");
}

}  // namespace
}  // namespace vibe::app
