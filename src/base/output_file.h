// OutputFile: a file that is written at the end of a long task. Whether it is writable is checked
// at the beginning; the old content stays until all of the new text is on disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace vibe::base {

class OutputFile {
 public:
  enum class Readers : std::uint8_t {
    any,    // as the system decides for new files; of an existing file, as before
    owner,  // the owner only, even if others could read the file before
  };

  // Checks that the file can be created there; changes nothing. Code::cannot_write.
  static Result<OutputFile> prepare(const std::string& path, Readers readers = Readers::any);

  // Checks that there is room for the text; changes nothing.
  Result<void> check_room(std::string_view text) const;

  // Follows links. A target that is not a regular file (`/dev/null`, a pipe) is written in place.
  Result<void> write(std::string_view text) const;
  // False: there is such a file now, and it stays as it is.
  Result<bool> create(std::string_view text) const;

  const std::string& path() const { return path_; }  // as it was given

 private:
  OutputFile() = default;
  Result<std::string> write_temporary(std::string_view text) const;  // its path

  std::string path_, target_;  // after following links
  Readers readers_ = Readers::any;
  bool is_plain_ = true;
};

// Appends; the file may exist. Code::cannot_write.
Result<void> append_file(const std::string& path, std::string_view text);

}  // namespace vibe::base
