#include "app/write_new_file.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/output_file.h"
#include "base/text.h"

namespace vibe::app {

using base::Code;

base::Result<void> write_new_file(const std::string& path, std::string_view text, bool replace) {
  std::error_code error;
  if (!replace && std::filesystem::exists(std::filesystem::symlink_status(path, error)))
    return base::fail(Code::bad_usage, {},
                      fmt::format("`{}` already exists", base::printable(path)),
                      "choose another name, or use `--force` to replace it");
  VIBE_TRY(const auto file, base::OutputFile::prepare(path));
  return file.write(text);
}

}  // namespace vibe::app
