#include "server/access_log.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/time.h"

namespace vibe::server {

namespace {

constexpr std::size_t kMostPathCharacters = 512;

int open_file(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

}  // namespace

std::string to_text(const AccessLine& line) {
  base::JsonWriter json;
  json.begin_object().key("time").string(base::iso_time(base::now_millis()));
  json.key("id").string(line.id).key("method").string(base::shorten(line.method, 32));
  json.key("path").string(base::shorten(line.path, kMostPathCharacters));
  json.key("status").integer(line.status);
  json.key("bytes").integer(static_cast<std::int64_t>(line.bytes));
  json.key("ms").raw(fmt::format("{:.3f}", line.seconds * 1000));
  json.key("org").known(line.organisation).key("key").known(line.key);
  json.key("peer").string(line.peer);
  return json.end_object().text() + "\n";
}

base::Result<AccessLog> AccessLog::open(const std::string& path) {
  const int file = path.empty() ? STDERR_FILENO : open_file(path);
  if (const int error = errno; file < 0)
    return base::fail(base::Code::cannot_write, {},
                      fmt::format("cannot write `{}`: {}", path, base::reason(error)),
                      base::hint_for(error));
  return AccessLog(path, file);
}

AccessLog::AccessLog(AccessLog&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

AccessLog::~AccessLog() {
  if (file_ > STDERR_FILENO) ::close(file_);
}

void AccessLog::write(const AccessLine& line) { write(to_text(line)); }

void AccessLog::write_problem(std::string_view request, const base::Diagnostics& problem) {
  for (const auto& one : problem.all()) {
    base::JsonWriter json;
    json.begin_object().key("time").string(base::iso_time(base::now_millis()));
    json.key("id").string(request).key("problem").string(one.message);
    json.key("code").string(to_string(one.code));
    write(json.end_object().text() + "\n");
  }
}

void AccessLog::reopen() {
  if (path_.empty()) return;
  const int file = open_file(path_);
  if (file < 0) return;  // the old one goes on
  const std::lock_guard lock(mutex_);
  ::close(std::exchange(file_, file));
}

// A disk that is full costs lines, not answers.
void AccessLog::write(std::string_view text) {
  const std::lock_guard lock(mutex_);
  while (::write(file_, text.data(), text.size()) < 0 && errno == EINTR) continue;
}

}  // namespace vibe::server
