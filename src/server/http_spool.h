// Spool: a body that goes to a file of its own, which only its owner may read and which is gone
// when the object is. Belongs to one thread.
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

  // What processes that were killed have left in a folder of bodies.
  static void remove_left(const std::string& folder);

  bool open(const std::string& folder);
  bool write(std::string_view bytes);
  bool close();  // false: not all of it is there
  void remove();

  const std::string& path() const { return path_; }  // empty: there is none

 private:
  int file_ = -1;
  std::string path_;
};

}  // namespace vibe::server
