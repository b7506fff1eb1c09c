// Server: asks a server of runs (`vibe serve`), and puts into words what goes wrong with that: an
// address that cannot be reached, a key that is refused, answers that no such server gives. Waits
// where the server asks to. Knows what all routes have in common, and no route. Never shows the
// key. Belongs to one thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "base/json_value.h"
#include "model/http_client.h"

namespace vibe::remote {

// What a user writes as the address of a server → its URL, without a slash at its end. Where it
// says no scheme it is `https://`, but `http://` on this machine. Code::bad_config
base::Result<std::string> server_url(std::string_view written);

// The key would go over a network as it is.
bool is_open_to_others(std::string_view url);

struct Address {
  std::string url;  // as server_url() makes it
  std::string key;  // empty: none
};

struct Question {
  std::string method = "GET";
  std::string path;  // `/api/runs?limit=5`, encoded
  std::string body = {};
  std::string type = "application/json";
  // Then 404 and 409 are answers; else they are errors, as every status from 400 on.
  bool may_be_missing = false, may_conflict = false;
  bool wants_bytes = false;         // the answer is not JSON
  base::SourcePtr about = nullptr;  // the text that is sent: errors point into it
};

struct Answer {
  int status = 200;
  base::JsonValue body;
  std::string bytes = {};  // instead, if they were wanted
};

class Server {
 public:
  // Sends nothing.
  static base::Result<std::unique_ptr<Server>> open(Address address,
                                                    const model::HttpOptions& options);

  const std::string& url() const { return address_.url; }
  double wait_scale() const { return wait_scale_; }  // of waiting times; tests use less

  base::Result<Answer> ask(const Question& question);

  // Begins a request whose answer comes bit by bit; all functions are called from another thread.
  void stream(const std::string& path, std::string_view last_event,
              std::function<void(std::string_view)> on_data, model::HttpClient::Done done);
  void cancel_all() { client_->cancel_all(); }

  // What an answer that is none means, for `path`.
  base::Diagnostics explain(const model::HttpResponse& response, const Question& question);

 private:
  Server(Address address, std::unique_ptr<model::HttpClient> client, double wait_scale);
  model::HttpRequest request(const Question& question) const;
  model::HttpResponse send(const Question& question);
  base::Diagnostics explain_missing(const Question& question);

  Address address_;
  std::unique_ptr<model::HttpClient> client_;
  double wait_scale_;
};

// A name as a part of a path, or a value of a query.
std::string encoded(std::string_view text);

// `?a=1&b=2`
std::string query(const std::vector<std::pair<std::string_view, std::string>>& parameters);

}  // namespace vibe::remote
