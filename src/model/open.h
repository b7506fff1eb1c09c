// Opens models: a model's name → what answers for it, by the table of providers. Everything
// that can be wrong (an unknown provider, a missing key, a recording that cannot be read) is
// found here, before anything is sent. Safe from any thread.
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
  std::string key_variable;  // of the environment; empty: it wants no key
};

// An endpoint of the user's own, `http:NAME`. In the URL, the headers and the body, `${NAME}`
// stands for a variable of the environment; in the body, `{{prompt}}` (the last message, escaped
// for a JSON string), `{{system}}` (likewise) and `{{messages}}` (the conversation, a JSON list).
struct HttpEndpoint {
  std::string name, method = "POST", url, body;
  Headers headers;
  std::string answer;  // JSON pointers into what comes back; the answer's empty: all of it, as text
  std::string prompt_tokens, completion_tokens, cost;  // empty: not stated
};

// What the user has set up.
struct Settings {
  std::function<std::optional<std::string>(std::string_view)>
      variable;  // of the environment, or `.env`
  std::vector<Endpoint> endpoints;
  std::vector<HttpEndpoint> http;
  price::PriceTable prices = price::PriceTable();
  HttpOptions client;
  std::function<base::Result<std::unique_ptr<HttpClient>>(const HttpOptions&)>
      make_client;          // null: HttpClient::open
  ScoreLog score_log;       // null: nobody looks at the logs of programs
  bool needs_logs = false;  // answers say so where no log can be written
};

struct Opened {
  std::unique_ptr<Model> model;
  std::string name;                   // the model that answers: a recording's own for `replay:`
  std::string source;                 // `replay:FILE`; else empty
  std::optional<price::Price> price;  // none: not known
  bool states_cost = false;           // the answers themselves may say what they cost
  bool is_free = false;               // costs nothing: a local model
  bool takes_tools = false;           // may be given to with_tools(); a recording needs no server
  bool may_log = false;               // its answers may have a fitness
  std::vector<std::string> keys;      // to be redacted wherever they would be shown
  std::shared_ptr<const Recording> recording;  // of `replay:`; else null
};

// Who is in a recording, as if they were there: its model, or a judge; its embedder.
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
  std::string_view base_url;      // where there is no such variable
  std::string_view summary;
  std::string_view probe_path;  // below the base URL: what costs nothing to be asked
  std::string_view
      embeddings_path{};  // likewise: what gives embeddings as OpenAI's; empty: nothing
  // How it is spoken to, or, where that is not by a known format, how it is opened: one of the two.
  const HttpProvider* protocol = nullptr;
  base::Result<Opened> (*open)(const Settings& settings, const std::string& rest) = nullptr;
  bool is_free = false, states_cost = false, takes_tools = false;  // as in Opened
  // What requests can set besides, by the names that clients of model lists know.
  std::span<const std::string_view> parameters{};
  // What the service calls a model that others call by another name; empty: it has no such model.
  std::string (*own_name)(std::string_view name) = nullptr;  // null: as everybody does
};

std::span<const ProviderRow> providers();

// What is wrong with giving tools to the model; nothing where it takes them.
base::Result<void> check_takes_tools(const Opened& opened);

class Models {
 public:
  explicit Models(Settings settings) : settings_(std::move(settings)) {}

  // Each model that needs one has a client of its own, so that cancelling it concerns no other.
  base::Result<Opened> open(const std::string& name) const;

  // `local`, or empty: the sentence encoder of the program. Any other is a model of a service that
  // gives embeddings as OpenAI does, reached as one that answers is.
  base::Result<OpenedEmbedder> open_embedder(const std::string& name) const;

  // What would answer for it, and whether its key is set: for `vibe get models` and `doctor`.
  struct Route {
    std::string provider;      // a row's or an endpoint's name
    std::string key_variable;  // empty: needs none
    bool key_set = false;
    std::string base_url;
    std::string model;                      // as the service calls it
    std::vector<std::string> parameters{};  // `tools`, `temperature`, …: what requests can set
  };
  base::Result<Route> route(std::string_view name) const;

  // A request that costs nothing, to see whether the model's service answers and takes the key.
  base::Result<HttpRequest> probe(const std::string& name) const;

  const Settings& settings() const { return settings_; }

 private:
  Settings settings_;
};

}  // namespace vibe::model
