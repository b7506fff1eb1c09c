#include "server/log_writer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/file_limit.h"
#include "base/temp_folder.h"

namespace vibe::server {
namespace {

std::string dropped_line(std::uint64_t count) { return "missing " + std::to_string(count) + "\n"; }

class LogWriterFiles : public testing::Test {
 protected:
  int open() const {
    return ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  std::string text() const { return base::read_file(path_, 4096).value(); }

  base::TempFolder folder_ = base::TempFolder::make().value();
  std::string path_ = folder_.path() + "/access.log";
};

// Standard error may be shared with a program that has made it so.
TEST(LogWriter, WaitsForRoomInAPipeThatDoesNotBlock) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
  std::size_t filled = 0;
  const std::string block(4096, 'x');
  for (ssize_t wrote = 0; (wrote = ::write(ends[1], block.data(), block.size())) > 0;)
    filled += static_cast<std::size_t>(wrote);
  LogWriter writer(ends[1], [](std::uint64_t) { return std::string("dropped\n"); });
  const std::string line = std::string(20'000, 'y') + "\n";  // more than a pipe takes in one piece
  writer.write(line);
  std::string seen;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (seen.size() < filled + line.size() && std::chrono::steady_clock::now() < end) {
    std::array<char, 4096> part{};
    const ssize_t got = ::read(ends[0], part.data(), part.size());
    if (got > 0)
      seen.append(part.data(), static_cast<std::size_t>(got));
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(seen.substr(std::min(filled, seen.size())), line);
  ::close(ends[0]);
}

TEST_F(LogWriterFiles, SaysHowManyLinesAFullDiskLost) {
  LogWriter writer(open(), dropped_line);
  writer.write("first\n");
  {
    const test::FileLimit full(10);
    writer.write("second\n");  // 4 bytes of it fit
    writer.write("third\n");
  }
  writer.write("fourth\n");
  writer.write("fifth\n");
  EXPECT_EQ(text(), "first\nseco\nmissing 2\nfourth\nfifth\n");
}

TEST_F(LogWriterFiles, SaysItAtTheEndIfNoLineFollows) {
  {
    const test::FileLimit full(0);
    LogWriter writer(open(), dropped_line);
    writer.write("first\n");
  }
  EXPECT_EQ(text(), "");  // full to the end
  {
    LogWriter writer(open(), dropped_line);
    {
      const test::FileLimit full(0);
      writer.write("first\n");
    }
  }
  EXPECT_EQ(text(), "missing 1\n");
}

}  // namespace
}  // namespace vibe::server
