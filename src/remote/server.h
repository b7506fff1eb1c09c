// Server: a client of `vibe serve`. Explains what goes wrong: an unreachable address, a refused
// key, answers that are not from such a server. Waits when the server asks it to. Knows what all
// routes share, but no route. Never shows the key. Belongs to one thread.
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

// A server address as the user writes it → its URL, without a slash at the end. Without a scheme it
// is `https://`, but `http://` on this machine. Code::bad_config
base::Result<std::string> server_url(std::string_view written);

// The key would go over a network unencrypted.
bool is_open_to_others(std::string_view url);

struct Address {
  std::string url;  // from server_url()
  std::string key;  // empty: none
};

struct Question {
  std::string method = "GET";
  std::string path;  // `/api/runs?limit=5`, encoded
  std::string body = {};
  std::string type = "application/json";
  // If set, 404 and 409 are answers; else they are errors, like every status from 400 on.
  bool may_be_missing = false, may_conflict = false;
  bool wants_bytes = false;         // the answer is not JSON
  base::SourcePtr about = nullptr;  // the text that is sent: errors point into it
};

struct Answer {
  int status = 200;
  base::JsonValue body;
  std::string bytes = {};  // instead of the body, if wanted
};

class Server {
 public:
  // Sends nothing.
  static base::Result<std::unique_ptr<Server>> open(Address address,
                                                    const model::HttpOptions& options);

  const std::string& url() const { return address_.url; }
  double wait_scale() const { return wait_scale_; }  // factor for waiting times; tests use less

  base::Result<Answer> ask(const Question& question);

  // Start a request with a streamed answer, which may take long; all callbacks run on another
  // thread.
  void stream(const Question& question, std::function<void(std::string_view)> on_data,
              model::HttpClient::Done done);
  void stream(const std::string& path, std::string_view last_event,
              std::function<void(std::string_view)> on_data, model::HttpClient::Done done);
  void cancel_all() { client_->cancel_all(); }

  // Explains a failed answer for `path`.
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

// Encodes a name for a path, or a value for a query.
std::string encoded(std::string_view text);

// `?a=1&b=2`
std::string query(const std::vector<std::pair<std::string_view, std::string>>& parameters);

}  // namespace vibe::remote
