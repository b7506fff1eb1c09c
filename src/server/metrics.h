// Metrics: figures about a server, in the Prometheus format. Safe from any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace vibe::server {

class Metrics {
 public:
  // `route` is a row of the table (`GET /api/runs/:id`), not the requested path: there are few.
  void add_request(std::string_view route, int status, double seconds);
  void add_sample();          // judged and stored
  void add_provider_error();  // a sample without an answer

  // Current values, which the caller must find out.
  struct Moment {
    std::size_t waiting = 0, claimed = 0;     // runs in the queue
    std::map<std::string, std::size_t> runs;  // of all organisations, by state
    std::size_t connections = 0;
  };
  std::string text(const Moment& moment) const;

 private:
  static constexpr std::array kBounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                      0.1,   0.25,   0.5,   1.0,  2.5,   10.0};  // seconds
  struct Answers {
    std::array<std::uint64_t, kBounds.size() + 1> buckets{};
    double seconds = 0;
    std::map<int, std::uint64_t> by_status;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Answers, std::less<>> routes_;
  std::atomic<std::uint64_t> samples_{0}, provider_errors_{0};
};

}  // namespace vibe::server
