#include "server/log_writer.h"

#include <csignal>
#include <cstdint>
#include <string>

#include <fcntl.h>
#include <sys/resource.h>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temp_folder.h"

namespace vibe::server {
namespace {

std::string dropped_line(std::uint64_t count) { return "missing " + std::to_string(count) + "\n"; }

// While it is there, this process writes no file beyond so many bytes, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

class LogWriterFiles : public testing::Test {
 protected:
  int open() const {
    return ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  std::string text() const { return base::read_file(path_, 4096).value(); }

  base::TempFolder folder_ = base::TempFolder::make().value();
  std::string path_ = folder_.path() + "/access.log";
};

TEST_F(LogWriterFiles, SaysHowManyLinesAFullDiskLost) {
  LogWriter writer(open(), dropped_line);
  writer.write("first\n");
  {
    const FullDisk full(10);
    writer.write("second\n");  // 4 bytes of it fit
    writer.write("third\n");
  }
  writer.write("fourth\n");
  writer.write("fifth\n");
  EXPECT_EQ(text(), "first\nseco\nmissing 2\nfourth\nfifth\n");
}

TEST_F(LogWriterFiles, SaysItAtTheEndIfNoLineFollows) {
  {
    const FullDisk full(0);
    LogWriter writer(open(), dropped_line);
    writer.write("first\n");
  }
  EXPECT_EQ(text(), "");  // full to the end
  {
    LogWriter writer(open(), dropped_line);
    {
      const FullDisk full(0);
      writer.write("first\n");
    }
  }
  EXPECT_EQ(text(), "missing 1\n");
}

}  // namespace
}  // namespace vibe::server
