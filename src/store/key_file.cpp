#include "store/key_file.h"

#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"

namespace vibe::store {

using base::Code;

namespace {

class File {
 public:
  File(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

tl::unexpected<base::Diagnostics> key_failure(const std::string& path, std::string_view what) {
  const int error = errno;
  return base::fail(
      Code::store_key, {},
      fmt::format("cannot {} the key for the secrets, `{}`: {}", what, path, base::reason(error)),
      base::hint_for(error));
}

bool write_key(const std::string& path, const base::SealKey& key) {
  const File file(path, O_WRONLY | O_CREAT | O_EXCL);
  if (file.get() < 0 || ::fchmod(file.get(), 0600) != 0) return false;
  const auto written = ::write(file.get(), key.data(), key.size());
  if (written >= 0 && static_cast<std::size_t>(written) != key.size()) errno = ENOSPC;
  return written == static_cast<ssize_t>(key.size()) && ::fsync(file.get()) == 0;
}

}  // namespace

base::Result<std::optional<base::SealKey>> read_key(const std::string& path) {
  const File file(path, O_RDONLY);
  if (file.get() < 0 && errno == ENOENT) return std::optional<base::SealKey>();
  struct stat status = {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) return key_failure(path, "read");
  if ((status.st_mode & 077U) != 0)
    return base::fail(
        Code::store_key, {},
        fmt::format("other users can read the key for the secrets, `{}`: its mode is {:o}", path,
                    status.st_mode & 0777U),
        fmt::format("run `chmod 600 {}`", path));
  base::SealKey key;
  std::array<char, 1> more;
  if (::read(file.get(), key.data(), key.size()) != static_cast<ssize_t>(key.size()) ||
      ::read(file.get(), more.data(), more.size()) != 0)
    return base::fail(Code::store_key, {},
                      fmt::format("`{}` is not a valid key for the secrets", path),
                      "restore the file, or delete it and the secrets and set them again");
  return std::optional(key);
}

base::Result<base::SealKey> make_key(const std::string& path) {
  const base::SealKey key = base::random_key();
  const std::string draft = fmt::format("{}.{}", path, base::random_text(8));
  const bool is_made = write_key(draft, key) && ::link(draft.c_str(), path.c_str()) == 0;
  const int error = errno;
  ::unlink(draft.c_str());
  errno = error;
  if (!is_made && errno == EEXIST) {
    VIBE_TRY(const auto other, read_key(path));
    if (other) return *other;
    errno = ENOENT;  // removed meanwhile
  }
  if (!is_made) return key_failure(path, "make");
  const File folder(std::filesystem::path(path).parent_path().string(), O_RDONLY | O_DIRECTORY);
  if (folder.get() < 0 || ::fsync(folder.get()) != 0) return key_failure(path, "make");
  return key;
}

}  // namespace vibe::store
