#include "server/metrics.h"

#include <algorithm>

#include <fmt/format.h>

namespace vibe::server {

namespace {

void head(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

template <class Number>
void single(std::string& out, std::string_view name, std::string_view type, std::string_view help,
            Number value) {
  head(out, name, type, help);
  out += fmt::format("{} {}\n", name, value);
}

}  // namespace

void Metrics::add_request(std::string_view route, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  auto found = routes_.find(route);
  if (found == routes_.end()) found = routes_.emplace(std::string(route), Answers{}).first;
  Answers& answers = found->second;
  const auto bucket = static_cast<std::size_t>(
      std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin());
  ++answers.buckets[bucket];
  answers.seconds += seconds;
  ++answers.by_status[status];
}

void Metrics::add_sample() { samples_.fetch_add(1, std::memory_order_relaxed); }
void Metrics::add_provider_error() { provider_errors_.fetch_add(1, std::memory_order_relaxed); }

std::string Metrics::text(const Moment& moment) const {
  std::string out;
  single(out, "vibecheck_queue_waiting", "gauge", "Runs waiting for a worker.", moment.waiting);
  single(out, "vibecheck_queue_claimed", "gauge", "Runs held by a worker.", moment.claimed);
  head(out, "vibecheck_runs", "gauge", "Stored runs, by state.");
  for (const auto& [state, count] : moment.runs)
    out += fmt::format("vibecheck_runs{{state=\"{}\"}} {}\n", state, count);
  single(out, "vibecheck_connections", "gauge", "Client connections.", moment.connections);
  single(out, "vibecheck_samples_total", "counter", "Samples judged and stored.",
         samples_.load(std::memory_order_relaxed));
  single(out, "vibecheck_provider_errors_total", "counter",
         "Samples without an answer, after all retries.",
         provider_errors_.load(std::memory_order_relaxed));

  const std::lock_guard lock(mutex_);
  head(out, "vibecheck_requests_total", "counter", "Requests, by route and status.");
  for (const auto& [route, answers] : routes_)
    for (const auto& [status, count] : answers.by_status)
      out += fmt::format("vibecheck_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", route,
                         status, count);
  head(out, "vibecheck_request_seconds", "histogram",
       "Seconds from the first byte of a request to the last byte of its answer, by route.");
  for (const auto& [route, answers] : routes_) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < kBounds.size(); ++i) {
      count += answers.buckets[i];
      out += fmt::format("vibecheck_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", route,
                         kBounds[i], count);
    }
    count += answers.buckets.back();
    out += fmt::format("vibecheck_request_seconds_bucket{{route=\"{}\",le=\"+Inf\"}} {}\n", route,
                       count);
    out += fmt::format("vibecheck_request_seconds_sum{{route=\"{}\"}} {:.6f}\n", route,
                       answers.seconds);
    out += fmt::format("vibecheck_request_seconds_count{{route=\"{}\"}} {}\n", route, count);
  }
  return out;
}

}  // namespace vibe::server
