// Finds a suite's text by file or name.
#include "app/suites/suite_text.h"

#include <gtest/gtest.h>

#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;

struct NamedSuites : UserHome {
  test::Folder folder;
  std::unique_ptr<store::Store> store = folder.open();

  void keep(const std::string& name, const std::string& text, const std::string& path = {}) {
    ASSERT_TRUE(store->archive().suites().save(
        {.name = name, .text = text, .path = path, .last_run_at = {}}, 1));
  }
  base::Result<SuiteText> find(const std::string& suite, bool is_file = false) {
    return find_suite_text(suite, is_file, store->archive().suites());
  }
};

TEST(SuiteText, AFileComesBeforeAStoredSuite) {
  NamedSuites world;
  world.keep("sums", "stored");
  EXPECT_EQ(world.find("sums")->text, "stored");
  world.write("sums", "file");
  const auto found = world.find("sums");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->text, "file");
  EXPECT_EQ(found->path, std::filesystem::current_path() / "sums");  // absolute
  EXPECT_EQ(found->shown_path, "sums");
}

TEST(SuiteText, AStoredSuiteIsShownByItsFileOrItsName) {
  NamedSuites world;
  world.keep("one", "1", "/home/me/one.yaml");
  world.keep("two", "2");
  EXPECT_EQ(world.find("one")->path, "/home/me/one.yaml");
  EXPECT_EQ(world.find("one")->shown_path, "/home/me/one.yaml");
  EXPECT_EQ(world.find("two")->path, "");
  EXPECT_EQ(world.find("two")->shown_path, "two");
}

TEST(SuiteText, TheLastVersionCounts) {
  NamedSuites world;
  world.keep("one", "old");
  world.keep("one", "new");
  EXPECT_EQ(world.find("one")->text, "new");
}

TEST(SuiteText, AFileIsNeverAStoredSuite) {
  NamedSuites world;
  world.keep("sums", "stored");
  EXPECT_EQ(all_codes(world.find("sums", true).error()), Found{Code::cannot_read});
}

struct MissingSuite {
  const char* name;
  const char* suite;
  Code want;
  const char* hint;
};
class MissingSuites : public testing::TestWithParam<MissingSuite> {};

TEST_P(MissingSuites, Say) {
  NamedSuites world;
  world.keep("sums", "stored");
  std::filesystem::create_directory("folder");
  const auto found = world.find(GetParam().suite);
  ASSERT_FALSE(found);
  EXPECT_EQ(all_codes(found.error()), Found{GetParam().want});
  EXPECT_NE(first_hint(found.error()).find(GetParam().hint), std::string::npos)
      << first_hint(found.error());
}

INSTANTIATE_TEST_SUITE_P(SuiteText, MissingSuites,
                         testing::Values(MissingSuite{"like_a_name", "sumz", Code::not_found,
                                                      "`sums`"},
                                         MissingSuite{"unlike_any", "quite-different",
                                                      Code::not_found, "vibe get suites"},
                                         MissingSuite{"file", "sums.yaml", Code::cannot_read, ""},
                                         MissingSuite{"path", "some/sums", Code::cannot_read, ""},
                                         MissingSuite{"folder", "folder", Code::cannot_read, ""}),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace vibe::app
