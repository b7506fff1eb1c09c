#include "server/http_spool.h"

#include <cerrno>
#include <cstdlib>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace vibe::server {

Spool::~Spool() { remove(); }

bool Spool::open(const std::string& folder) {
  std::string path = folder + "/body-XXXXXX";
  file_ = ::mkostemp(path.data(), O_CLOEXEC);  // 0600
  if (file_ < 0) return false;
  path_ = std::move(path);
  return true;
}

bool Spool::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool Spool::close() { return file_ < 0 || ::close(std::exchange(file_, -1)) == 0; }

void Spool::remove() {
  close();
  if (!path_.empty()) ::unlink(std::exchange(path_, {}).c_str());
}

}  // namespace vibe::server
