#include "base/temp_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"

namespace vibe::base {

Result<TempFolder> TempFolder::make() {
  const char* where = std::getenv("TMPDIR");
  std::string path = fmt::format("{}/vibecheck-XXXXXX", where && *where ? where : "/tmp");
  if (::mkdtemp(path.data()) == nullptr)
    return fail(Code::cannot_write, {},
                fmt::format("cannot create a temporary folder: {}", reason(errno)));
  return TempFolder(std::move(path));
}

TempFolder::TempFolder(TempFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempFolder& TempFolder::operator=(TempFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TempFolder::~TempFolder() {
  if (path_.empty()) return;
  std::error_code ignored;  // links are removed, not followed
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace vibe::base
