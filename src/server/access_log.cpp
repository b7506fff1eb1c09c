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

// A named pipe that nobody reads is an error; without O_NONBLOCK the call would wait for a reader.
int open_file(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600);
}

std::string problem_line(std::string_view request, std::string_view message, base::Code code) {
  base::JsonWriter json;
  json.begin_object().key("time").string(base::iso_time(base::now_millis()));
  json.key("id").string(request).key("problem").string(message);
  return json.key("code").string(to_string(code)).end_object().text() + "\n";
}

std::string dropped_line(std::uint64_t count) {
  const auto message =
      fmt::format("{} line{} of this log could not be written", count, count == 1 ? "" : "s");
  return problem_line({}, message, base::Code::cannot_write);
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

AccessLog::AccessLog(std::string path, int file)
    : path_(std::move(path)), writer_(std::make_unique<LogWriter>(file, dropped_line)) {}

void AccessLog::write(const AccessLine& line) { writer_->write(to_text(line)); }

void AccessLog::write_problem(std::string_view request, const base::Diagnostics& problem) {
  for (const auto& one : problem.all())
    writer_->write(problem_line(request, one.message, one.code));
}

void AccessLog::reopen() {
  if (path_.empty()) return;
  const int file = open_file(path_);
  if (file >= 0) writer_->replace(file);  // else keep the old one
}

}  // namespace vibe::server
