#include "server/rate_limit.h"

#include <algorithm>
#include <cmath>

namespace vibe::server {

namespace {

double a_second(std::int64_t requests_a_minute) {
  return static_cast<double>(std::max<std::int64_t>(requests_a_minute, 1)) / 60;
}

}  // namespace

double RateLimit::most_at_once(std::int64_t requests_a_minute) const {
  return std::max(10.0, a_second(requests_a_minute) * 60 * burst_);
}

std::optional<std::int64_t> RateLimit::refuse(std::string_view key, std::int64_t requests_a_minute,
                                              Time now) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    buckets_.splice(buckets_.begin(), buckets_, found->second);
  } else {
    buckets_.push_front({std::string(key), most_at_once(requests_a_minute), now});
    by_key_.emplace(buckets_.front().key, buckets_.begin());
    if (buckets_.size() > most_keys_) {
      by_key_.erase(buckets_.back().key);
      buckets_.pop_back();
    }
  }
  const auto seconds = fill(buckets_.front(), requests_a_minute, now);
  if (!seconds) buckets_.front().tokens -= 1;
  return seconds;
}

std::optional<std::int64_t> RateLimit::fill(Bucket& bucket, std::int64_t requests_a_minute,
                                            Time now) const {
  const double rate = a_second(requests_a_minute);
  // Threads may call with times out of order.
  const double seconds = std::max(0.0, std::chrono::duration<double>(now - bucket.at).count());
  bucket.tokens = std::min(most_at_once(requests_a_minute), bucket.tokens + seconds * rate);
  bucket.at = std::max(bucket.at, now);
  if (bucket.tokens >= 1) return std::nullopt;
  return std::max<std::int64_t>(1,
                                static_cast<std::int64_t>(std::ceil((1 - bucket.tokens) / rate)));
}

std::size_t RateLimit::keys() const {
  const std::lock_guard lock(mutex_);
  return buckets_.size();
}

}  // namespace vibe::server
