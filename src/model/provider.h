// HttpProvider: how one kind of service is spoken to, as two pure functions; make_http_model
// joins them with a client. Private to model/: others open models by model/open.h.
// Pure functions, safe from any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "base/json.h"
#include "base/json_value.h"
#include "model/http_client.h"
#include "model/model.h"
#include "price/price.h"

namespace vibe::model {

// Where the requests of one model go.
struct Target {
  std::string base_url;  // without a slash at its end
  std::string key;       // empty: none
  std::string model;     // as the service calls it
};

using Encoded = tl::expected<HttpRequest, Failure>;

struct HttpProvider {
  Encoded (*encode)(const Target& target, const Request& request);
  Outcome (*decode)(const HttpResponse& response);  // that came, with a status of success
};

// One for each format, in the file of its name.
extern const HttpProvider kOpenai, kOpenrouter, kAnthropic, kOllama;

// Anthropic's own name of a model, for a name that OpenRouter or price lists have for it:
// `claude-3.5-sonnet` is `claude-3-5-sonnet-latest`. Empty: a name that Anthropic cannot have.
std::string anthropic_name(std::string_view name);

// The same two, bound to what they need.
struct Exchange {
  std::function<Encoded(const Request&)> encode;
  std::function<Outcome(const HttpResponse&)> decode;
};

struct Pricing {
  std::optional<price::Price> price;  // none: not known
  bool is_free = false;
};

// A cost that the answer states stands; else by the price and the tokens, if they are known.
void set_cost(Answer& answer, const Pricing& pricing);

std::unique_ptr<Model> make_http_model(Exchange exchange, Pricing pricing,
                                       std::vector<std::string> keys,
                                       std::unique_ptr<HttpClient> client);

// What went wrong with a response; none where it came with a status of success. The message may
// have a key in it.
std::optional<Failure> failure_of(const HttpResponse& response, double timeout);

// What a response says, by `decode` if it is a success; the fault or what the provider said of
// its error if it is not. No key is in the message.
Outcome read_response(const HttpResponse& response, double timeout,
                      const std::vector<std::string>& keys,
                      const std::function<Outcome(const HttpResponse&)>& decode);

// For encoders.
HttpRequest json_request(std::string url, Headers headers, std::string body,
                         const Request& request);
// The entries of a list of messages, as OpenAI has them.
void write_messages(base::JsonWriter& json, const std::vector<Message>& messages);
void write_messages(base::JsonWriter& json, const Request& request);  // the system's first
void write_system(base::JsonWriter& json, const Request& request);    // where there is one
// The key `tools` and its list, as OpenAI and Ollama have it; nothing where there are none.
void write_tools(base::JsonWriter& json, const std::vector<Tool>& tools);
// What goes back to the model of a tool's message, where the format has no flag for an error.
std::string tool_text(const Message& message);
// The arguments of a call for a format that takes nothing but an object: `{}` where they are none.
std::string arguments_object(const ToolCall& call);

// For decoders.
tl::expected<base::JsonValue, Failure> parse_body(const HttpResponse& response);
Failure malformed(std::string_view problem, std::string_view body);
// What an error object says; none where there is no `error`.
std::optional<Failure> stated_error(const base::JsonValue& root);
std::optional<std::int64_t> count_of(const base::JsonValue* object, std::string_view key);
std::optional<double> dollars(const base::JsonValue* value);
std::string arguments_text(const base::JsonValue* arguments);  // of a tool call, as JSON

std::string excerpt(std::string_view text);  // one line that can be shown
std::string shown(std::string_view name);    // the same of a name or an address, shorter
// Takes keys out of a text from there on; out of what a message quotes.
void hide_keys(std::string& text, const std::vector<std::string>& keys, std::size_t from = 0);
void redact(Failure& failure, const std::vector<std::string>& keys);

}  // namespace vibe::model
