// Files that are written at the end of something long.
#include "base/output_file.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vibe::base {

namespace {

using testing::HasSubstr;

class OutputFileTest : public testing::Test {
 protected:
  OutputFileTest() {
    std::string name = testing::TempDir() + "vibe-output-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~OutputFileTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void put(const std::string& name, std::string_view text) const {
    std::ofstream(path(name)) << text;
  }
  std::string text(const std::string& name) const {
    std::ostringstream out;
    out << std::ifstream(path(name)).rdbuf();
    return out.str();
  }
  std::size_t entries() const {
    const std::filesystem::directory_iterator all(folder_);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }
  static std::string why(const Diagnostics& found) { return found.all().front().message; }

  std::filesystem::path folder_;
};

TEST_F(OutputFileTest, PreparingChangesNothing) {
  put("report", "old");
  EXPECT_TRUE(OutputFile::prepare(path("report")));
  EXPECT_TRUE(OutputFile::prepare(path("new")));
  EXPECT_EQ(text("report"), "old");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputFileTest, IsForItsOwnerAloneIfAsked) {
  put("keys", "old");
  chmod(path("keys").c_str(), 0644);
  for (const std::string name : {"keys", "new"}) {
    const auto file = OutputFile::prepare(path(name), OutputFile::Readers::owner);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("secret"));
    struct stat status{};
    ASSERT_EQ(stat(path(name).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U) << name;
    EXPECT_EQ(text(name), "secret");
  }
}

TEST_F(OutputFileTest, LookingForRoomChangesNothing) {
  put("report", "old");
  const auto file = OutputFile::prepare(path("report"));
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->check_room(std::string(10000, 'x')));
  EXPECT_EQ(text("report"), "old");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputFileTest, ReplacesTheFileAndLeavesNothingElse) {
  put("report", "something longer than the new text");
  chmod(path("report").c_str(), 0640);
  const auto file = OutputFile::prepare(path("report"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("new"));
  EXPECT_EQ(text("report"), "new");
  struct stat status{};
  ASSERT_EQ(stat(path("report").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputFileTest, CreatesOnlyWhatDoesNotExist) {
  const auto file = OutputFile::prepare(path("new"));
  ASSERT_TRUE(file);
  const auto created = file->create("first");
  ASSERT_TRUE(created);
  EXPECT_TRUE(*created);
  const auto again = file->create("second");  // as if another program had made it meanwhile
  ASSERT_TRUE(again);
  EXPECT_FALSE(*again);
  EXPECT_EQ(text("new"), "first");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputFileTest, FollowsALink) {
  put("real", "old");
  std::filesystem::create_symlink("real", path("link"));
  const auto file = OutputFile::prepare(path("link"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("new"));
  EXPECT_EQ(text("real"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
}

TEST_F(OutputFileTest, RefusesWhatCannotBeWritten) {
  const auto folder = OutputFile::prepare(folder_.string());
  ASSERT_FALSE(folder);
  EXPECT_THAT(why(folder.error()), HasSubstr("is a directory"));
  EXPECT_FALSE(OutputFile::prepare(path("none/report")));
  EXPECT_FALSE(OutputFile::prepare(path("new/")));
  EXPECT_FALSE(OutputFile::prepare(""));
  put("plain", "");
  EXPECT_FALSE(OutputFile::prepare(path("plain/report")));
}

TEST_F(OutputFileTest, WritesToADeviceAsItIs) {
  const auto file = OutputFile::prepare("/dev/null");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->write("text"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(OutputFileTest, AFullDiskKeepsWhatWasThere) {
  put("report", "old");
  const auto file = OutputFile::prepare(path("report"));
  ASSERT_TRUE(file);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  const auto has_room = file->check_room(std::string(100000, 'x'));
  const auto written = file->write(std::string(100000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(has_room);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().all().front().code, Code::cannot_write);
  EXPECT_EQ(text("report"), "old");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputFileTest, Appends) {
  ASSERT_TRUE(append_file(path("log"), "a"));
  ASSERT_TRUE(append_file(path("log"), "b"));
  EXPECT_EQ(text("log"), "ab");
  EXPECT_FALSE(append_file(path("none/log"), "c"));
}

}  // namespace

}  // namespace vibe::base
