// Spool: a request body in its own file, which only its owner may read and which is deleted with
// the object. Belongs to one thread.
#pragma once

#include <string>
#include <string_view>

namespace vibe::server {

class Spool {
 public:
  Spool() = default;
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  ~Spool();

  // Removes the files that killed processes left in a spool folder.
  static void remove_left(const std::string& folder);

  bool open(const std::string& folder);
  bool write(std::string_view bytes);
  bool close();  // false: it is incomplete
  void remove();

  const std::string& path() const { return path_; }  // empty: no file

 private:
  int file_ = -1;
  std::string path_;
};

}  // namespace vibe::server
