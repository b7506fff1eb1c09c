// Writes new files, and replaces files only on request.
#include "app/write_new_file.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;

TEST(WriteNewFile, WritesAllOfIt) {
  const auto folder = base::TempFolder::make().value();
  const std::string path = folder.path() + "/a", text(3 << 20, 'x');
  ASSERT_TRUE(write_new_file(path, text, false));
  EXPECT_EQ(test::read_bytes(path), text);
  ASSERT_TRUE(write_new_file(path, "short", true));
  EXPECT_EQ(test::read_bytes(path), "short");  // the old text is gone
  ASSERT_TRUE(write_new_file(path, "", true));
  EXPECT_EQ(test::read_bytes(path), "");
}

TEST(WriteNewFile, ReplacesNothingUnlessAskedTo) {
  const auto folder = base::TempFolder::make().value();
  const std::string path = folder.path() + "/a";
  test::write_bytes(path, "mine");
  const auto written = write_new_file(path, "yours", false);
  ASSERT_FALSE(written);
  EXPECT_EQ(all_codes(written.error()), Found{Code::bad_usage});
  EXPECT_EQ(test::read_bytes(path), "mine");
}

TEST(WriteNewFile, MakesNoFileBehindALink) {
  const auto folder = base::TempFolder::make().value();
  std::filesystem::create_symlink("elsewhere", folder.path() + "/a");
  EXPECT_FALSE(write_new_file(folder.path() + "/a", "text", false));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/elsewhere"));
}

TEST(WriteNewFile, SaysWhyItCannot) {
  const auto folder = base::TempFolder::make().value();
  const auto missing = write_new_file(folder.path() + "/none/a", "text", false);
  ASSERT_FALSE(missing);
  EXPECT_EQ(all_codes(missing.error()), Found{Code::cannot_write});
  EXPECT_NE(first_message(missing.error()).find("/none/a"), std::string::npos);
  EXPECT_EQ(all_codes(write_new_file(folder.path(), "text", true).error()),
            Found{Code::cannot_write});
  const auto full = write_new_file("/dev/full", "text", true);
  ASSERT_FALSE(full);
  EXPECT_EQ(all_codes(full.error()), Found{Code::cannot_write});
}

}  // namespace
}  // namespace vibe::app
