#include "model_server/stats.h"

#include "base/json.h"

namespace model_server {

void Stats::began(const Request& request) {
  ++requests_;
  most_in_flight_ = std::max(most_in_flight_, ++in_flight_);
  auto path = by_path_.find(request.path);
  if (path == by_path_.end()) path = by_path_.emplace(request.path, 0).first;
  ++path->second;
  Seen seen;
  if (recent_.size() == kRecent) {  // its memory is used again
    seen = std::move(recent_.front());
    recent_.pop_front();
  }
  seen.method = request.method;
  seen.path = request.path;
  seen.head = request.head;
  seen.body = request.body;
  recent_.push_back(std::move(seen));
}

void Stats::ended(int status, double seconds) {
  --in_flight_;
  ++ended_;
  ++by_status_[status];
  latency_sum_ += seconds;
  latency_most_ = std::max(latency_most_, seconds);
}

std::string Stats::json() const {
  vibe::base::JsonWriter json;
  json.begin_object();
  json.key("connections").integer(connections_);
  json.key("requests").integer(requests_);
  json.key("in_flight").integer(in_flight_);
  json.key("most_in_flight").integer(most_in_flight_);
  json.key("mean_latency").number(ended_ > 0 ? latency_sum_ / static_cast<double>(ended_) : 0);
  json.key("max_latency").number(latency_most_);
  json.key("by_path").begin_object();
  for (const auto& [path, count] : by_path_) json.key(path).integer(count);
  json.end_object().key("by_status").begin_object();
  for (const auto& [status, count] : by_status_) json.key(std::to_string(status)).integer(count);
  json.end_object().key("recent").begin_array();  // the last is the newest
  for (const auto& seen : recent_) {
    json.begin_object().key("method").string(seen.method).key("path").string(seen.path);
    json.key("headers").begin_object();
    std::string_view rest = seen.head;
    while (!rest.empty()) {
      const auto end = std::min(rest.find("\r\n"), rest.size());
      const auto line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 2, rest.size()));
      const auto colon = std::min(line.find(": "), line.size());
      std::string name(line.substr(0, colon));
      for (char& c : name)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      json.key(name).string(line.substr(std::min(colon + 2, line.size())));
    }
    json.end_object().key("body").string(seen.body).end_object();
  }
  json.end_array().end_object();
  return json.text();
}

}  // namespace model_server
