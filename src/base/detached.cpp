#include "base/detached.h"

#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <spawn.h>

#include "base/file.h"

namespace vibe::base {

namespace {

// Also works if the program file was replaced since.
constexpr const char* kSelf = "/proc/self/exe";

}  // namespace

Result<void> start_detached(const std::vector<std::string>& arguments, const std::string& errors) {
  std::vector<char*> argv{const_cast<char*>("vibe")};
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const int log = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log >= 0)
    posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
  else
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t pid = 0;
  const int failure = ::posix_spawn(&pid, kSelf, &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (log >= 0) ::close(log);
  if (failure != 0)
    return fail(Code::missing_program, {},
                fmt::format("cannot start this program again: {}", reason(failure)),
                hint_for(failure));
  return {};
}

std::string own_program() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink(kSelf, error);
  return !error && std::filesystem::exists(path, error) ? path.string() : std::string();
}

}  // namespace vibe::base
