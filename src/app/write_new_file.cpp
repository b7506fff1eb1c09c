#include "app/write_new_file.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/output_file.h"
#include "base/text.h"

namespace vibe::app {

using base::Code;

base::Result<void> write_new_file(const std::string& path, std::string_view text, bool replace) {
  const auto exists = [&] {
    return base::fail(Code::bad_usage, {},
                      fmt::format("`{}` already exists", base::printable(path)),
                      "choose another name, or use `--force` to replace it");
  };
  std::error_code error;
  if (!replace && std::filesystem::exists(std::filesystem::symlink_status(path, error)))
    return exists();
  VIBE_TRY(const auto file, base::OutputFile::prepare(path));
  if (replace) return file.write(text);
  VIBE_TRY(const bool is_created, file.create(text));
  if (!is_created) return exists();
  return {};
}

}  // namespace vibe::app
