// Process: runs a program to its end, discards its output, and reports the resources used.
// TemporaryFolder: for the files that a benchmark generates; removed at the end.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <spawn.h>

namespace vibe::bench {

struct Used {
  double cpu_seconds = 0;  // user and system
  // Linux also counts the memory of the starting process: keep that small.
  double peak_mib = 0;
};

// A program that cannot be started, or that fails, ends the benchmark. `input` is the file for its
// standard input; empty: inherited.
inline Used run_program(const std::vector<std::string>& arguments, const std::string& input = {}) {
  std::vector<char*> argv;
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
  if (!input.empty())
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  pid_t pid = 0;
  const int failure = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  rusage usage{};
  if (failure != 0 || wait4(pid, &status, 0, &usage) != pid || status != 0) {
    fmt::print(stderr, "`{}` failed\n", fmt::join(arguments, " "));
    std::exit(2);
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return {.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime),
          .peak_mib = static_cast<double>(usage.ru_maxrss) / 1024};
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "vibe-bench-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) {
      std::perror(pattern.c_str());
      std::exit(2);
    }
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string file(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace vibe::bench
