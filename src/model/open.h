// Opens models: a model's name → the model, by the table of providers. Everything that can be wrong
// (an unknown provider, a missing key, an unreadable recording) is found here, before anything is
// sent. Safe from any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "model/embedder.h"
#include "model/http_client.h"
#include "model/model.h"
#include "model/recording.h"
#include "price/price.h"

namespace vibe::model {

// An OpenAI-compatible service from the user's configuration: `NAME/MODEL` goes there.
struct Endpoint {
  std::string name, base_url;
  std::string key_variable;  // environment variable; empty: needs no key
};

// The user's own endpoint, `http:NAME`. In the URL, the headers and the body, `${NAME}` is replaced
// by an environment variable; in the body, `{{prompt}}` by the last message and `{{system}}` by the
// system prompt, both escaped for a JSON string, and `{{messages}}` by the conversation as a JSON
// list.
struct HttpEndpoint {
  std::string name, method = "POST", url, body;
  Headers headers;
  std::string answer;  // JSON pointer into the response; empty: the whole body, as text
  std::string prompt_tokens, completion_tokens, cost;  // JSON pointers; empty: not stated
};

// What the user has set up.
struct Settings {
  std::function<std::optional<std::string>(std::string_view)>
      variable;  // from the environment or `.env`
  std::vector<Endpoint> endpoints;
  std::vector<HttpEndpoint> http;
  price::PriceTable prices = price::PriceTable();
  HttpOptions client;
  std::function<base::Result<std::unique_ptr<HttpClient>>(const HttpOptions&)>
      make_client;          // null: HttpClient::open
  ScoreLog score_log;       // null: programs' logs are not scored
  bool needs_logs = false;  // an answer says so if no log can be written
};

struct Opened {
  std::unique_ptr<Model> model;
  std::string name;                   // the model that answers; for `replay:` the recorded one
  std::string source;                 // `replay:FILE`; else empty
  std::optional<price::Price> price;  // none: unknown
  bool states_cost = false;           // answers may state their cost
  bool is_free = false;               // costs nothing: a local model
  bool takes_tools = false;           // works with with_tools(); a recording needs no server
  bool may_log = false;               // its answers may have a fitness
  std::vector<std::string> keys;      // redact them wherever they would be shown
  std::shared_ptr<const Recording> recording;  // only of `replay:`; else null
};

// The model, judge or embedder of a recording, answering from it.
std::unique_ptr<Model> make_replay_model(std::shared_ptr<const Recording> recording,
                                         std::string judge = {});
std::unique_ptr<Embedder> make_replay_embedder(std::shared_ptr<const Recording> recording,
                                               std::string name);

struct HttpProvider;

struct ProviderRow {
  std::string_view name;          // `openai`
  std::string_view form;          // `openai/NAME`
  std::string_view key_variable;  // `OPENAI_API_KEY`; empty: none
  std::string_view url_variable;  // `OPENAI_BASE_URL`; empty: none
  std::string_view base_url;      // if that variable is not set
  std::string_view summary;
  std::string_view probe_path;         // below the base URL: a request that costs nothing
  std::string_view embeddings_path{};  // likewise: OpenAI-compatible embeddings; empty: none
  // Its protocol or, if it has no known format, the function that opens it: one of the two is set.
  const HttpProvider* protocol = nullptr;
  base::Result<Opened> (*open)(const Settings& settings, const std::string& rest) = nullptr;
  bool is_free = false, states_cost = false, takes_tools = false;  // as in Opened
  // What requests can set, by the names that clients of model lists know; `tools` is not listed.
  std::span<const std::string_view> parameters{};
  // The service's own name for a model's common name; empty: it has no such model.
  std::string (*own_name)(std::string_view name) = nullptr;  // null: the names are the same
};

std::span<const ProviderRow> providers();

// An error if the model cannot use tools.
base::Result<void> check_takes_tools(const Opened& opened);

class Models {
 public:
  explicit Models(Settings settings) : settings_(std::move(settings)) {}

  // Each model that needs a client has its own, so cancelling it does not affect others.
  base::Result<Opened> open(const std::string& name) const;

  // `local`, or empty: the built-in sentence encoder. Any other name is a model of an
  // OpenAI-compatible embeddings service, reached like a model that answers.
  base::Result<OpenedEmbedder> open_embedder(const std::string& name) const;

  // The provider of a model, and whether its key is set: for `vibe get models` and `doctor`.
  struct Route {
    std::string provider;      // a row's or an endpoint's name
    std::string key_variable;  // empty: needs no key
    bool key_set = false;
    std::string base_url;
    std::string model;                      // as the service calls it
    std::vector<std::string> parameters{};  // `tools`, `temperature`, …: what requests can set
  };
  base::Result<Route> route(std::string_view name) const;

  // A request that costs nothing, to see whether the model's service answers and accepts the key.
  base::Result<HttpRequest> probe(const std::string& name) const;

  const Settings& settings() const { return settings_; }

 private:
  Settings settings_;
};

}  // namespace vibe::model
