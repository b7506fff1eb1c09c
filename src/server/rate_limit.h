// RateLimit: limits the requests per key with token buckets: a request takes a token, and tokens
// come back with time. Keeps the buckets of at most `most_keys` keys and drops the least recently
// used. Does not read the clock. Safe from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace vibe::server {

class RateLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `burst`: the share of a minute's requests that may come at once; 10 always may.
  explicit RateLimit(std::size_t most_keys = 10'000, double burst = 0.25)
      : most_keys_(most_keys), burst_(burst) {}

  // None: the request may be answered. Else the seconds until this key may send one, at least 1.
  std::optional<std::int64_t> refuse(std::string_view key, std::int64_t requests_a_minute,
                                     Time now);
  std::size_t keys() const;  // keys with a bucket

 private:
  struct Bucket {
    std::string key;
    double tokens = 0;
    Time at;  // time of that count
  };
  // Adds the tokens that came back since; none: there is a token, else the seconds until there is.
  std::optional<std::int64_t> fill(Bucket& bucket, std::int64_t requests_a_minute, Time now) const;
  double most_at_once(std::int64_t requests_a_minute) const;

  mutable std::mutex mutex_;
  const std::size_t most_keys_;
  const double burst_;
  std::list<Bucket> buckets_;  // most recently used first
  std::unordered_map<std::string_view, std::list<Bucket>::iterator> by_key_;  // views of `buckets_`
};

}  // namespace vibe::server
