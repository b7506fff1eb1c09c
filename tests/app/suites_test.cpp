// Saves and finds stored suites.
#include "app/suites/suites.h"

#include <gtest/gtest.h>

#include "app/served_world.h"
#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;

store::SuiteEntry entry(std::string name, std::string text) {
  store::SuiteEntry out;
  out.name = std::move(name);
  out.text = std::move(text);
  out.evals = 1;
  return out;
}

TEST(Suites, AreNewThenChangedThenTheSame) {
  const test::Folder folder;
  const auto store = folder.open();
  auto& suites = store->archive().suites();
  const auto first = keep_suite(suites, entry("sums", "a"));
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->is_new && first->changed);
  EXPECT_EQ(first->suite.version, 1u);
  const auto second = keep_suite(suites, entry("sums", "b"));
  EXPECT_FALSE(second->is_new);
  EXPECT_TRUE(second->changed);
  EXPECT_EQ(second->suite.version, 2u);
  const auto third = keep_suite(suites, entry("sums", "b"));
  EXPECT_FALSE(third->is_new || third->changed);
  EXPECT_EQ(third->suite.version, 2u);
}

TEST(Suites, ANameThatIsKnownOnlyInARunIsRefused) {
  const test::Folder folder;
  const auto store = folder.open();
  const auto kept = keep_suite(store->archive().suites(), entry("{{var('name')}}", "a"));
  ASSERT_FALSE(kept);
  EXPECT_EQ(all_codes(kept.error()), Found{Code::bad_usage});
  EXPECT_TRUE(store->archive().suites().list()->empty());
}

TEST(Suites, AreFoundByNameAndVersion) {
  const test::Folder folder;
  const auto store = folder.open();
  auto& suites = store->archive().suites();
  ASSERT_TRUE(keep_suite(suites, entry("sums", "a")) && keep_suite(suites, entry("sums", "b")));
  EXPECT_EQ(find_suite(suites, "sums")->text, "b");
  EXPECT_EQ(find_suite(suites, "sums", 1)->text, "a");
  const auto versions = suite_versions(suites, "sums");
  ASSERT_EQ(versions->size(), 2u);
  EXPECT_EQ((*versions)[0].version, 2u);  // the newest first
  const auto third = find_suite(suites, "sums", 3);
  ASSERT_FALSE(third);
  EXPECT_EQ(all_codes(third.error()), Found{Code::not_found});
  EXPECT_NE(first_hint(third.error()).find("1 to 2"), std::string::npos);
}

TEST(Suites, AMissingOneSaysWhatToDoNext) {
  const test::Folder folder;
  const auto store = folder.open();
  auto& suites = store->archive().suites();
  const auto hint = [&](std::string_view name) {
    const auto found = find_suite(suites, name);
    EXPECT_FALSE(found);
    EXPECT_EQ(all_codes(found.error()), Found{Code::not_found});
    EXPECT_EQ(all_codes(suite_versions(suites, name).error()), Found{Code::not_found});
    EXPECT_EQ(all_codes(find_suite(suites, name, 1).error()), Found{Code::not_found});
    return first_hint(found.error());
  };
  EXPECT_NE(hint("sums").find("vibe set suite"), std::string::npos);
  ASSERT_TRUE(keep_suite(suites, entry("sums", "a")));
  EXPECT_NE(hint("sum").find("`sums`"), std::string::npos);
  EXPECT_NE(hint("quite different").find("vibe get suites"), std::string::npos);
}

// ---- from files

TEST(SaveSuite, KeepsWhatIsValid) {
  UserHome user;
  base::Diagnostics out;
  const auto workspace = open_workspace(out);
  ASSERT_TRUE(workspace) << base::render(out);
  user.write("suite.yaml", suite_of(2) + "colour: blue\n");
  const auto saved = save_suite(*workspace, "suite.yaml", false, out);
  ASSERT_TRUE(saved) << base::render(out);
  EXPECT_EQ(all_codes(out), Found{Code::unknown_key});
  EXPECT_EQ(saved->suite.name, "sums");
  EXPECT_EQ(saved->suite.evals, 2u);
  EXPECT_EQ(saved->suite.path, std::filesystem::current_path() / "suite.yaml");
  EXPECT_EQ(find_suite(workspace->archive().suites(), "sums")->text,
            suite_of(2) + "colour: blue\n");
}

TEST(SaveSuite, KeepsNothingElse) {
  UserHome user;
  base::Diagnostics out;
  const auto workspace = open_workspace(out);
  const auto refused = [&](const std::string& path, bool strict) {
    out = {};
    EXPECT_FALSE(save_suite(*workspace, path, strict, out));
    return all_codes(out);
  };
  EXPECT_EQ(refused("none.yaml", false), Found{Code::cannot_read});
  EXPECT_EQ(refused(user.write("a.yaml", suite_of(1) + "colour: blue\n"), true),
            Found{Code::unknown_key});
  EXPECT_EQ(refused(user.write("b.yaml", "metadata: [\n"), false), Found{Code::yaml_syntax});
  EXPECT_TRUE(workspace->archive().suites().list()->empty());
}

TEST(SaveSuite, OnAServerItStandsAlone) {
  ServedWorld served;
  UserHome user;
  user.set("VIBECHECK_API_KEY", served.key);
  base::Diagnostics out;
  const auto workspace = open_workspace(out, {.server = served.url});
  ASSERT_TRUE(workspace) << base::render(out);
  user.write("cases.csv", "city\nParis\n");
  const auto saved = save_suite(
      *workspace,
      user.write("suite.yaml",
                 "metadata: {name: cities, model: openai/gpt-4o-mini}\n"
                 "evals: [{prompt: '{{city}}', cases: cases.csv, checks: [match: a]}]\n"),
      false, out);
  ASSERT_TRUE(saved) << base::render(out);
  const auto text = find_suite(served.archive->suites(), "cities")->text;
  EXPECT_EQ(text.find("cases.csv"), std::string::npos);
  EXPECT_NE(text.find("Paris"), std::string::npos);
}

}  // namespace
}  // namespace vibe::app
