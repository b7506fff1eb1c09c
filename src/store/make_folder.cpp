#include "store/make_folder.h"

#include <cerrno>
#include <filesystem>

#include <sys/stat.h>

#include <fmt/format.h>

#include "base/file.h"

namespace vibe::store {

namespace fs = std::filesystem;

base::Result<void> make_folder(const std::string& folder) {
  fs::path made;
  for (const auto& part : fs::path(folder)) {
    made /= part;
    if (::mkdir(made.c_str(), 0700) == 0) continue;
    const int error = errno;
    std::error_code ignored;
    if (!fs::is_directory(made, ignored))
      return base::fail(base::Code::store_unusable, {},
                        fmt::format("cannot make the folder `{}`: {}", folder,
                                    base::reason(error == EEXIST ? ENOTDIR : error)),
                        "set `VIBECHECK_HOME` to a folder that can be written");
  }
  return {};
}

}  // namespace vibe::store
