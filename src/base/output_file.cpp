#include "base/output_file.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/crypto.h"
#include "base/file.h"
#include "base/time.h"

namespace vibe::base {

namespace {

tl::unexpected<Diagnostics> cannot_write(const std::string& path, int error) {
  return fail(Code::cannot_write, {}, fmt::format("cannot write `{}`: {}", path, reason(error)),
              hint_for(error, error == EISDIR ? "give a file in that folder" : ""));
}

int open_file(const std::string& path, int flags, mode_t mode = 0666) {
  int file;
  do file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, mode);
  while (file < 0 && errno == EINTR);
  return file;
}

// Writes and closes; 0, or an errno.
int write_all(int file, std::string_view text, bool to_disk) {
  int error = 0;
  while (!text.empty() && error == 0) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      error = errno;
  }
  if (error == 0 && to_disk && ::fsync(file) != 0) error = errno;
  if (::close(file) != 0 && error == 0) error = errno;
  return error;
}

// In the same folder, so that it can replace the file.
std::string temporary_beside(const std::string& target) {
  const std::filesystem::path path(target);
  return (path.parent_path() / fmt::format(".vibe-{}.tmp", uuid7(now_millis()))).string();
}

}  // namespace

Result<OutputFile> OutputFile::prepare(const std::string& path, Readers readers) {
  OutputFile out;
  out.path_ = path;
  out.readers_ = readers;
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  if (!error) out.target_ = std::filesystem::weakly_canonical(absolute, error).string();
  if (error) return cannot_write(path, error.value());
  struct stat status{};
  const bool is_there = ::stat(out.target_.c_str(), &status) == 0;
  if (path.empty() || (!is_there && path.ends_with('/'))) return cannot_write(path, ENOENT);
  if (is_there && S_ISDIR(status.st_mode)) return cannot_write(path, EISDIR);
  if (is_there && ::access(out.target_.c_str(), W_OK) != 0) return cannot_write(path, errno);
  out.is_plain_ = !is_there || S_ISREG(status.st_mode);
  if (!out.is_plain_) return out;
  const std::string temporary = temporary_beside(out.target_);
  const int file = open_file(temporary, O_CREAT | O_EXCL | O_NOFOLLOW);
  if (file < 0) return cannot_write(path, errno);
  ::close(file);
  ::unlink(temporary.c_str());
  return out;
}

Result<void> OutputFile::write(std::string_view text) const {
  if (!is_plain_) {
    const int file = open_file(target_, 0);
    if (file < 0) return cannot_write(path_, errno);
    if (const int error = write_all(file, text, false)) return cannot_write(path_, error);
    return {};
  }
  VIBE_TRY(const auto temporary, write_temporary(text));
  if (::rename(temporary.c_str(), target_.c_str()) == 0) return {};
  const int error = errno;
  ::unlink(temporary.c_str());
  return cannot_write(path_, error);
}

Result<bool> OutputFile::create(std::string_view text) const {
  VIBE_TRY(const auto temporary, write_temporary(text));
  // link() never replaces; renameat2() is for file systems without links.
  int error = ::link(temporary.c_str(), target_.c_str()) == 0 ? 0 : errno;
  if (error == EPERM || error == EOPNOTSUPP)
    error =
        ::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) == 0
            ? 0
            : errno;
  ::unlink(temporary.c_str());
  if (error == 0) return true;
  if (error == EEXIST) return false;
  return cannot_write(path_, error);
}

Result<void> OutputFile::check_room(std::string_view text) const {
  if (!is_plain_) return {};
  VIBE_TRY(const auto temporary, write_temporary(text));
  ::unlink(temporary.c_str());
  return {};
}

Result<std::string> OutputFile::write_temporary(std::string_view text) const {
  std::string temporary = temporary_beside(target_);
  const bool is_private = readers_ == Readers::owner;
  const int file = open_file(temporary, O_CREAT | O_EXCL | O_NOFOLLOW, is_private ? 0600 : 0666);
  if (file < 0) return cannot_write(path_, errno);
  struct stat status{};
  if (!is_private && ::stat(target_.c_str(), &status) == 0) ::fchmod(file, status.st_mode & 07777);
  const int error = write_all(file, text, true);
  if (error == 0) return temporary;
  ::unlink(temporary.c_str());
  return cannot_write(path_, error);
}

Result<void> append_file(const std::string& path, std::string_view text) {
  const int file = open_file(path, O_CREAT | O_APPEND);
  if (file < 0) return cannot_write(path, errno);
  if (const int error = write_all(file, text, false)) return cannot_write(path, error);
  return {};
}

}  // namespace vibe::base
