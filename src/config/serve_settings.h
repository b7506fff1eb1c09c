// ServeSettings: settings of `vibe serve`: where it listens, its limits, and what suites may use on
// its machine. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vibe::config {

struct ServeSettings {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;             // 0: any free one
  std::string tls_certificate, tls_key;  // files; empty: no TLS
  std::string access_log;                // a file; empty: standard error
  std::size_t workers = 4;               // runs at a time
  double lease = 30;                     // seconds that a worker may be silent
  double status_heartbeat = 20;          // seconds between the spaces of a held status
  std::size_t most_connections = 10'000;
  std::optional<std::size_t> connections_per_address{};  // none: a quarter of all; 0: no limit
  std::size_t most_upload_bytes = 256u << 20;            // of an agent log
  std::uint64_t most_unpacked_bytes = 1u << 30;          // of a compressed one
  std::size_t most_upload_sessions = 10'000;             // of one log
  // What suites may use (app::Permissions).
  std::vector<std::string> local_models;
  bool exec_checks = false, private_addresses = false;
};

}  // namespace vibe::config
