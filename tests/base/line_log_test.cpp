#include "base/line_log.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vibe::base {
namespace {

namespace fs = std::filesystem;

class LineLog : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/vibe-lines-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const char* name = "log") const { return folder_ / name; }
  static std::string text(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }

  fs::path folder_;
};

TEST_F(LineLog, GrowsByLines) {
  ASSERT_TRUE(append_line(path(), "one"));
  ASSERT_TRUE(append_line(path(), "two"));
  EXPECT_EQ(text(path()), "one\ntwo\n");
  struct stat status{};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(LineLog, BeginsANewLineBehindATornOne) {
  std::ofstream(path()) << "{\"torn";
  ASSERT_TRUE(append_line(path(), "whole"));
  EXPECT_EQ(text(path()), "{\"torn\nwhole\n");
}

TEST_F(LineLog, IsRenamedWhenItIsLarge) {
  const LineLogLimits limits{.most_bytes = 10};
  for (const char* line : {"12345678", "second", "third"})
    ASSERT_TRUE(append_line(path(), line, limits));
  EXPECT_EQ(text(path() + ".1"), "12345678\nsecond\n");
  EXPECT_EQ(text(path()), "third\n");
}

TEST_F(LineLog, MakesRoomForOthers) {
  const LineLogLimits limits{.most_bytes = 10};
  ASSERT_TRUE(make_room(path(), limits));
  EXPECT_EQ(text(path()), "");
  std::ofstream(path()) << "123456789";
  ASSERT_TRUE(make_room(path(), limits));
  EXPECT_EQ(text(path()), "123456789");
  std::ofstream(path()) << "1234567890";
  ASSERT_TRUE(make_room(path(), limits));
  EXPECT_EQ(text(path()), "");
  EXPECT_EQ(text(path() + ".1"), "1234567890");
  EXPECT_FALSE(make_room(path("missing/log"), limits));
}

TEST_F(LineLog, DoesNotWaitForEver) {
  const int held = ::open(path().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  const auto written = append_line(path(), "x", {.wait = 0.05});
  ::close(held);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().all()[0].message,
              testing::HasSubstr("another process holds its lock"));
  EXPECT_EQ(text(path()), "");
}

TEST_F(LineLog, SaysWhatIsNoFile) {
  EXPECT_FALSE(append_line(folder_, "x"));
  EXPECT_FALSE(append_line("/dev/null", "x"));
  EXPECT_FALSE(append_line(path("missing/log"), "x"));
}

TEST_F(LineLog, FoldersAreForTheirOwner) {
  ASSERT_TRUE(make_private_folder(path("a/b/c")));
  ASSERT_TRUE(make_private_folder(path("a/b/c")));
  struct stat status{};
  ASSERT_EQ(::stat(path("a/b").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  std::ofstream(path("file")) << "x";
  const auto made = make_private_folder(path("file/b"));
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().all()[0].message, testing::HasSubstr("cannot create the folder"));
}

}  // namespace
}  // namespace vibe::base
