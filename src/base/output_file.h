// OutputFile: a file that is written at the end of something long. That it can be written is found
// out at the beginning; what was in it stays until all of the new text is on the disk.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace vibe::base {

class OutputFile {
 public:
  // Looks whether a file can be made there; changes nothing. Code::cannot_write.
  static Result<OutputFile> prepare(const std::string& path);

  // A link is followed. What is no plain file (`/dev/null`, a pipe) is written to as it is.
  Result<void> write(std::string_view text) const;

  const std::string& path() const { return path_; }  // as it was given

 private:
  OutputFile() = default;
  std::string path_, target_;  // where the links lead
  bool is_plain_ = true;
};

// At the end of a file that may be there already. Code::cannot_write.
Result<void> append_file(const std::string& path, std::string_view text);

}  // namespace vibe::base
