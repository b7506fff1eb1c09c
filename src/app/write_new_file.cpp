#include "app/write_new_file.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"

namespace vibe::app {

using base::Code;

base::Result<std::monostate> write_new_file(const std::string& path, std::string_view text,
                                            bool replace) {
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (replace ? O_TRUNC : O_EXCL), 0644);
  if (file < 0 && errno == EEXIST)
    return base::fail(Code::bad_usage, {},
                      fmt::format("`{}` is there already", base::printable(path)),
                      "give another name, or `--force` to replace it");
  bool written = file >= 0;
  int error = errno;
  while (written && !text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    written = count > 0;
    error = errno;
    if (written) text.remove_prefix(static_cast<std::size_t>(count));
  }
  if (file >= 0) close(file);
  if (!written)
    return base::fail(
        Code::cannot_write, {},
        fmt::format("cannot write `{}`: {}", base::printable(path), base::reason(error)),
        base::hint_for(error));
  return std::monostate{};
}

}  // namespace vibe::app
