// AccessLog: a line of JSON for each request that a server answered, and for what went wrong within
// it. Never a key, a secret, a header or the values of a query. Each line is one write(2), so that
// lines of several processes do not mix. Safe from any thread.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace vibe::server {

struct AccessLine {
  std::string_view id, method, path, peer;
  int status = 0;
  std::size_t bytes = 0;               // of the answer's body
  double seconds = 0;                  // from the request's first byte to the answer's last
  std::string_view organisation, key;  // its slug, and the public id of the key; empty: none
};
std::string to_text(const AccessLine& line);  // JSON, with its line break

class AccessLog {
 public:
  // Empty: standard error. Code::cannot_write
  static base::Result<AccessLog> open(const std::string& path);
  AccessLog(AccessLog&& other) noexcept;
  AccessLog& operator=(AccessLog&&) = delete;
  ~AccessLog();

  void write(const AccessLine& line);
  // What the operator has to know, and the client has not.
  void write_problem(std::string_view request, const base::Diagnostics& problem);
  void reopen();  // a file that was moved away is begun anew

 private:
  AccessLog(std::string path, int file) : path_(std::move(path)), file_(file) {}
  void write(std::string_view text);

  std::string path_;
  std::mutex mutex_;
  int file_;  // the descriptor
};

}  // namespace vibe::server
