#include "app/agents/hook_settings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "base/json_value.h"

namespace vibe::app {
namespace {

using testing::HasSubstr;

constexpr std::string_view kCommand = "/usr/bin/vibe fitness collect";

base::Result<EditedSettings> add(std::string text, std::string_view command = kCommand) {
  return add_hooks(base::make_source("settings.json", std::move(text)), command);
}
base::Result<EditedSettings> remove(std::string text, std::string_view program = "/usr/bin/vibe") {
  return remove_hooks(base::make_source("settings.json", std::move(text)), program);
}

std::string added(std::string text, std::string_view command = kCommand) {
  const auto edited = add(std::move(text), command);
  EXPECT_TRUE(edited) << base::render(edited.error());
  return edited ? edited->text : std::string();
}

base::JsonValue parsed(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";  // which JSON does not have
  const auto value = base::parse_json(text.substr(text.starts_with(kMark) ? kMark.size() : 0));
  EXPECT_TRUE(value) << text;
  return value ? *value : base::JsonValue();
}

// The command of the last hook of an event; empty: there is none.
std::string last_command(const base::JsonValue& settings, std::string_view event) {
  const auto* groups = settings.pointer(fmt::format("/hooks/{}", event));
  if (!groups || !groups->array() || groups->array()->empty()) return {};
  const auto* hooks = groups->array()->back().find("hooks");
  return std::string(hooks->array()->back().text_of("command"));
}

TEST(HookSettings, AreWrittenIntoNothing) {
  for (const char* empty : {"", " \n", "{}", "{}\n", "{\n}\n"}) {
    const auto edited = add(empty);
    ASSERT_TRUE(edited);
    EXPECT_EQ(edited->events, kHookEvents.size());
    const auto settings = parsed(edited->text);
    for (const auto& event : kHookEvents) EXPECT_EQ(last_command(settings, event.name), kCommand);
  }
  EXPECT_THAT(added(""), testing::StartsWith(R"({
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "*",
        "hooks": [
          {
            "type": "command",
            "command": "/usr/bin/vibe fitness collect"
          }
        ]
      }
    ],
    "PostToolUse": [)"));
}

struct KeptCase {
  const char* name;
  const char* text;
};
const KeptCase kKept[] = {
    {"empty", "{}\n"},
    {"other_keys", "{\n  \"model\": \"opus\",\n  \"n\": 1.50,\n  \"list\": [ 1,2 ]\n}\n"},
    {"tabs", "{\n\t\"model\": \"opus\"\n}"},
    {"four_spaces", "{\n    \"a\": {\"b\": 1}\n}\n"},
    {"windows", "{\r\n  \"a\": 1\r\n}\r\n"},
    {"one_line", R"({"model":"opus"})"},
    {"spaced_line", R"({ "model": "opus" })"},
    {"byte_order_mark", "\xEF\xBB\xBF{\n  \"a\": 1\n}\n"},
    {"escapes", R"({"a\"}]": "\u0041{[\\", "e": 1e5})"},
    {"hooks_of_others", R"({
  "hooks": {
    "PostToolUse": [
      {
        "matcher": "Edit|Write",
        "hooks": [
          { "type": "command", "command": "prettier --write" }
        ]
      }
    ],
    "Notification": [{"hooks": [{"type": "command", "command": "beep"}]}]
  },
  "model": "opus"
}
)"},
    {"hooks_in_a_line",
     R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]},"z":0})"},
};
class KeptSettings : public testing::TestWithParam<KeptCase> {};

TEST_P(KeptSettings, ComeBackByteForByte) {
  const std::string text = GetParam().text;
  const std::string with = added(text);
  const auto settings = parsed(with);
  for (const auto& event : kHookEvents) EXPECT_EQ(last_command(settings, event.name), kCommand);
  const auto without = remove(with);
  ASSERT_TRUE(without);
  EXPECT_EQ(without->text, text);
  EXPECT_EQ(without->events, kHookEvents.size());
}

TEST_P(KeptSettings, ChangeOnce) {
  const std::string with = added(GetParam().text);
  const auto again = add(with);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->events, 0u);
  EXPECT_EQ(again->text, with);
}

TEST_P(KeptSettings, TakeAnotherPathInPlace) {
  const std::string with = added(GetParam().text);
  const std::string command = "'/opt/my tools/vibe' fitness collect --agent a@1";
  const auto moved = add(with, command);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->events, kHookEvents.size());
  EXPECT_EQ(added(moved->text), with);
  EXPECT_EQ(last_command(parsed(moved->text), "Stop"), command);
}

// What was there comes first, in its order.
TEST_P(KeptSettings, KeepTheOrder) {
  const auto before = parsed(GetParam().text), after = parsed(added(GetParam().text));
  ASSERT_LE(before.object()->size(), after.object()->size());
  for (std::size_t i = 0; i < before.object()->size(); ++i) {
    EXPECT_EQ((*before.object())[i].first, (*after.object())[i].first);
    if ((*before.object())[i].first == "hooks") continue;
    EXPECT_EQ(to_text((*before.object())[i].second), to_text((*after.object())[i].second));
  }
}

INSTANTIATE_TEST_SUITE_P(HookSettings, KeptSettings, testing::ValuesIn(kKept),
                         [](const auto& one) { return one.param.name; });

TEST(HookSettings, FollowTheIndentation) {
  EXPECT_THAT(added("{\n\t\"a\": 1\n}\n"),
              HasSubstr("\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{"));
  EXPECT_THAT(added("{\n    \"hooks\": {}\n}\n"),
              HasSubstr("{\n    \"hooks\": {\n        \"PreToolUse\": ["));
  EXPECT_THAT(added("{\r\n  \"a\": 1\r\n}"), HasSubstr(",\r\n  \"hooks\": {\r\n"));
  EXPECT_EQ(added(R"({"a":1})").find('\n'), std::string::npos);
}

TEST(HookSettings, OfOursOneStays) {
  const std::string twice = R"({"hooks": {"Stop": [
    {"hooks": [{"type": "command", "command": "/a/vibe fitness collect"},
               {"type": "command", "command": "mine"},
               {"type": "command", "command": "/b/vibe fitness collect"}]},
    {"hooks": [{"type": "command", "command": "vibe fitness collect"}]}]}})";
  const auto settings = parsed(added(twice));
  const auto* stop = settings.pointer("/hooks/Stop");
  ASSERT_EQ(stop->array()->size(), 1u);
  const auto* hooks = stop->pointer("/0/hooks");
  ASSERT_EQ(hooks->array()->size(), 2u);
  EXPECT_EQ(hooks->at(0)->text_of("command"), kCommand);
  EXPECT_EQ(hooks->at(1)->text_of("command"), "mine");
}

// A group without hooks is none that Claude Code takes, nor we.
TEST(HookSettings, OfOursInTwoGroupsOneGroupStays) {
  const std::string twice = R"({"hooks": {"PreToolUse": [
    {"matcher": "*", "hooks": [{"type": "command", "command": "/a/vibe fitness collect"}]},
    {"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]},
    {"matcher": "*", "hooks": [{"type": "command", "command": "/b/vibe fitness collect"},
                               {"type": "command", "command": "/c/vibe fitness collect"}]}]}})";
  const std::string once = added(twice);
  const auto settings = parsed(once);
  EXPECT_EQ(
      to_text(*settings.pointer("/hooks/PreToolUse")),
      R"([{"matcher":"*","hooks":[{"type":"command","command":"/usr/bin/vibe fitness collect"}]},)"
      R"({"matcher":"Bash","hooks":[{"type":"command","command":"mine"}]}])");
  EXPECT_EQ(added(once), once);
  const auto without = remove(once);
  ASSERT_TRUE(without) << base::render(without.error());
  EXPECT_EQ(
      to_text(parsed(without->text)),
      R"({"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"mine"}]}]}})");
}

TEST(HookSettings, OfAProgramThatIsCalledOtherwiseAreOurs) {
  const std::string command = "/opt/vibe-1.2 fitness collect";
  const std::string with = added("{}\n", command);
  const auto again = add(with, "/usr/local/vibe-1.2 fitness collect --agent x");
  ASSERT_TRUE(again);
  EXPECT_EQ(parsed(again->text).pointer("/hooks/Stop")->array()->size(), 1u);
  const auto without = remove(with, "/opt/vibe-1.2");
  ASSERT_TRUE(without);
  EXPECT_EQ(without->text, "{}\n");
}

TEST(HookSettings, OnlyOursGo) {
  const auto edited = remove(R"({"hooks": {"Stop": [
    {"hooks": [{"type": "command", "command": "/a/vibe fitness collect"},
               {"type": "command", "command": "mine"}]},
    {"hooks": []}], "SessionEnd": [{"hooks": [{"type": "command", "command": "vibe fitness collect --agent x"}]}],
    "Empty": []}})");
  ASSERT_TRUE(edited);
  EXPECT_EQ(edited->events, 2u);
  EXPECT_EQ(edited->text, R"({"hooks": {"Stop": [
    {"hooks": [{"type": "command", "command": "mine"}]},
    {"hooks": []}],
    "Empty": []}})");
}

TEST(HookSettings, NothingToRemoveChangesNothing) {
  for (const char* text : {"{}", "", "{\"hooks\": {}}", "{\"hooks\": {\"Stop\": []}}"}) {
    const auto edited = remove(text);
    ASSERT_TRUE(edited);
    EXPECT_EQ(edited->events, 0u);
  }
}

TEST(OurHook, IsToldByItsWords) {
  for (const char* ours : {"vibe fitness collect", "/usr/bin/vibe fitness collect --agent x",
                           "'/a b/vibe' fitness collect", "\"/a b/vibe\"  fitness  collect"})
    EXPECT_TRUE(is_our_hook(ours)) << ours;
  for (const char* other : {"", "vibe", "vibe fitness show", "echo vibe fitness collect",
                            "/usr/bin/vibes fitness collect", "'vibe fitness collect"})
    EXPECT_FALSE(is_our_hook(other)) << other;
  EXPECT_TRUE(is_our_hook(R"('/a;b $c/vibe' fitness collect --agent 'it'\''s (mine)|&')"));
  EXPECT_TRUE(is_our_hook("/opt/vibe-1.2 fitness collect", "/usr/bin/vibe-1.2"));
  EXPECT_FALSE(is_our_hook("/opt/vibe-1.2 fitness collect", "/usr/bin/vibe"));
  EXPECT_FALSE(is_our_hook("/opt/ fitness collect", ""));
}

// Commands that do more are the user's.
const char* const kLonger[] = {
    "vibe fitness collect --agent a && notify-send done",
    "vibe fitness collect | tee -a x.log",
    "vibe fitness collect|tee x",
    "vibe fitness collect; true",
    "cd /tmp;vibe fitness collect",
    "vibe fitness collect > /dev/null",
    "vibe fitness collect &",
    "(vibe fitness collect)",
    "vibe fitness collect --agent `id -un`",
    "vibe fitness collect --agent \"$USER\"",
    "$HOME/vibe fitness collect",
    "vibe fitness collect\nbeep",
    "vibe fitness collect --agent a b",
    "vibe fitness collect # mine",
    "nice vibe fitness collect",
};
class LongerCommand : public testing::TestWithParam<const char*> {};
TEST_P(LongerCommand, IsLeftAlone) {
  EXPECT_FALSE(is_our_hook(GetParam()));
  base::JsonWriter json;
  json.begin_object().key("hooks").begin_object().key("Stop").begin_array().begin_object();
  json.key("hooks").begin_array().begin_object().key("command").string(GetParam()).end_object();
  json.end_array().end_object().end_array().end_object().end_object();
  const std::string text = json.text();
  const auto without = remove(text);
  ASSERT_TRUE(without);
  EXPECT_EQ(without->text, text);
  EXPECT_EQ(without->events, 0u);
  // It collects already: at this event nothing is added.
  const auto with = add(text);
  ASSERT_TRUE(with);
  EXPECT_EQ(with->events, kHookEvents.size() - 1);
  const auto settings = parsed(with->text);
  EXPECT_EQ(settings.pointer("/hooks/Stop")->array()->size(), 1u);
  EXPECT_EQ(last_command(settings, "Stop"), GetParam());
  EXPECT_EQ(last_command(settings, "PreToolUse"), kCommand);
  EXPECT_EQ(added(with->text), with->text);
}
INSTANTIATE_TEST_SUITE_P(HookSettings, LongerCommand, testing::ValuesIn(kLonger));

TEST(OurHook, IsAddedBesideACommandThatIsNoCollector) {
  const auto with =
      add(R"({"hooks": {"Stop": [{"hooks": [{"command": "vibe fitness$collect"}]}]}})");
  ASSERT_TRUE(with);
  EXPECT_EQ(with->events, kHookEvents.size());
}

struct RefusedCase {
  const char* name;
  const char* text;
  const char* want;
};
const RefusedCase kRefused[] = {
    {"comment", "// mine\n{}", "settings.json:1:1: error: this is not JSON: "},
    {"torn", "{\n  \"a\": ", "settings.json:2:8: error: this is not JSON: "},
    {"list", "[]", "the file is a list, expected an object"},
    {"hooks", R"({"hooks": []})",
     "settings.json:1:11: error: `hooks` is a list, expected an object"},
    {"event", R"({"hooks": {"Stop": {}}})", "`hooks.Stop` is an object, expected a list"},
    {"group", R"({"hooks": {"Stop": ["x"]}})", "an element of `hooks.Stop` is a string"},
    {"no_list", R"({"hooks": {"Stop": [{}]}})",
     "`hooks` is missing in an element of `hooks.Stop`, expected a list"},
    {"wrong_list", R"({"hooks": {"Stop": [{"hooks": {}}]}})",
     "`hooks` in `hooks.Stop` is an object, expected a list"},
    {"hook", R"({"hooks": {"Stop": [{"hooks": [1]}]}})", "a hook in `hooks.Stop` is a number"},
    {"twice", R"({"hooks": {}, "hooks": {}})", "the key `hooks` appears twice"},
    {"event_twice", R"({"hooks": {"Stop": [], "Stop": []}})", "the key `Stop` appears twice"},
};
class RefusedSettings : public testing::TestWithParam<RefusedCase> {};
TEST_P(RefusedSettings, AreSaidWhere) {
  for (const auto& edited : {add(GetParam().text), remove(GetParam().text)}) {
    ASSERT_FALSE(edited);
    EXPECT_THAT(base::render(edited.error()), HasSubstr(GetParam().want));
    EXPECT_EQ(edited.error().all()[0].code, base::Code::bad_document);
  }
}
INSTANTIATE_TEST_SUITE_P(HookSettings, RefusedSettings, testing::ValuesIn(kRefused),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace vibe::app
