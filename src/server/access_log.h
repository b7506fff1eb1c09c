// AccessLog: one JSON line for each request that a server answered, and for each internal error.
// Never has a key, a secret, a header or query values. Safe from any thread, and never waits for a
// reader of the log.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "server/log_writer.h"

namespace vibe::server {

struct AccessLine {
  std::string_view id, method, path, peer;
  int status = 0;
  std::size_t bytes = 0;               // of the answer's body
  double seconds = 0;                  // from the request's first byte to the answer's last
  std::string_view organisation, key;  // slug and public key id; empty: none
};
std::string to_text(const AccessLine& line);  // JSON, with its line break

class AccessLog {
 public:
  // Empty: standard error. Code::cannot_write
  static base::Result<AccessLog> open(const std::string& path);
  void write(const AccessLine& line);
  // A problem that the operator needs to know about, but not the client.
  void write_problem(std::string_view request, const base::Diagnostics& problem);
  void reopen();  // starts a new file if the old one was moved away

 private:
  AccessLog(std::string path, int file);

  std::string path_;
  std::unique_ptr<LogWriter> writer_;
};

}  // namespace vibe::server
