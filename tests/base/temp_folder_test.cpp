#include "base/temp_folder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace vibe::base {
namespace {

namespace fs = std::filesystem;

TEST(TempFolder, IsGoneWithAllThatIsInIt) {
  std::string path;
  const std::string outside = testing::TempDir() + "temp-folder-outside";
  fs::create_directories(outside);
  {
    const auto folder = TempFolder::make();
    ASSERT_TRUE(folder);
    path = folder->path();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    fs::create_directories(path + "/a/b");
    std::ofstream(path + "/a/b/c") << "x";
    fs::create_directory_symlink(outside, path + "/link");
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists(outside));  // links are not followed
  fs::remove(outside);
}

TEST(TempFolder, MovesAndIsRemovedOnce) {
  auto first = TempFolder::make();
  ASSERT_TRUE(first);
  const std::string path = first->path();
  {
    TempFolder second = *std::move(first);
    EXPECT_EQ(second.path(), path);
    TempFolder third = *TempFolder::make();
    third = std::move(second);
    EXPECT_EQ(third.path(), path);
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace vibe::base
