#include "server/http_spool.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace vibe::server {

namespace {

constexpr std::string_view kBegin = "body-", kUnique = "XXXXXX";  // mkostemp() replaces kUnique

// Another server may use the same folder: a body that is still arriving is written to now and then.
constexpr std::chrono::hours kLeft{1};

bool is_left(const std::filesystem::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  std::error_code failed;
  if (!name.starts_with(kBegin) || name.size() != kBegin.size() + kUnique.size()) return false;
  if (entry.symlink_status(failed).type() != std::filesystem::file_type::regular) return false;
  const auto written = entry.last_write_time(failed);
  return !failed && written < std::filesystem::file_time_type::clock::now() - kLeft;
}

}  // namespace

void Spool::remove_left(const std::string& folder) {
  std::error_code failed;
  std::filesystem::directory_iterator at(folder, failed);
  for (; !failed && at != std::filesystem::directory_iterator(); at.increment(failed))
    if (is_left(*at)) ::unlink(at->path().c_str());
}

Spool::~Spool() { remove(); }

bool Spool::open(const std::string& folder) {
  std::string path = fmt::format("{}/{}{}", folder, kBegin, kUnique);
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
