// TempFolder: a private temporary folder, which is removed with its content when the object is
// destroyed. Belongs to one thread.
#pragma once

#include <string>

#include "base/diagnostic.h"

namespace vibe::base {

class TempFolder {
 public:
  static Result<TempFolder> make();  // under TMPDIR, else /tmp
  TempFolder(TempFolder&& other) noexcept;
  TempFolder& operator=(TempFolder&& other) noexcept;
  ~TempFolder();

  const std::string& path() const { return path_; }

 private:
  explicit TempFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;  // empty: moved from
};

}  // namespace vibe::base
