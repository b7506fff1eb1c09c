// Stats: what the model server saw since it started or was reset, as `GET /stats` shows it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "model_server/answer.h"

namespace model_server {

class Stats {
 public:
  void connected() { ++connections_; }
  void began(const Request& request);
  void ended(int status, double seconds);  // written to the last byte
  void broke() { --in_flight_; }           // the client went away, or was sent away
  void reset() { *this = Stats(in_flight_); }

  std::string json() const;

  Stats() = default;

 private:
  explicit Stats(std::int64_t in_flight) : in_flight_(in_flight), most_in_flight_(in_flight) {}

  static constexpr std::size_t kRecent = 20;
  struct Seen {
    std::string method, path, head, body;
  };

  std::int64_t connections_ = 0, requests_ = 0, in_flight_ = 0, most_in_flight_ = 0, ended_ = 0;
  double latency_sum_ = 0, latency_most_ = 0;  // seconds
  std::map<std::string, std::int64_t, std::less<>> by_path_;
  std::map<int, std::int64_t> by_status_;
  std::deque<Seen> recent_;
};

}  // namespace model_server
