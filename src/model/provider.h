// HttpProvider: the protocol of one kind of service, as two pure functions; make_http_model joins
// them with a client. Private to model/: others open models with model/open.h.
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

// The destination of one model's requests.
struct Target {
  std::string base_url;  // without a trailing slash
  std::string key;       // empty: none
  std::string model;     // as the service calls it
};

using Encoded = tl::expected<HttpRequest, Failure>;

struct HttpProvider {
  Encoded (*encode)(const Target& target, const Request& request);
  Outcome (*decode)(const HttpResponse& response);  // of a response with a success status
};

// One per format, in the file of the same name.
extern const HttpProvider kOpenai, kOpenrouter, kAnthropic, kOllama;

// Anthropic's own name for a model that OpenRouter or price lists call by another name:
// `claude-3.5-sonnet` is `claude-3-5-sonnet-latest`. Empty: Anthropic cannot have such a name.
std::string anthropic_name(std::string_view name);

// The two functions of a protocol, bound to a target.
struct Exchange {
  std::function<Encoded(const Request&)> encode;
  std::function<Outcome(const HttpResponse&)> decode;
};

struct Pricing {
  std::optional<price::Price> price;  // none: unknown
  bool is_free = false;
};

// A cost that the answer states is kept; else it is computed from price and tokens, if known.
void set_cost(Answer& answer, const Pricing& pricing);

std::unique_ptr<Model> make_http_model(Exchange exchange, Pricing pricing,
                                       std::vector<std::string> keys,
                                       std::unique_ptr<HttpClient> client);

// What went wrong with a response; none if it has a success status. The message may contain a key.
std::optional<Failure> failure_of(const HttpResponse& response, double timeout);

// The outcome of a response: decoded by `decode` if it has a success status, else the fault or the
// provider's error message. The message contains no key.
Outcome read_response(const HttpResponse& response, double timeout,
                      const std::vector<std::string>& keys,
                      const std::function<Outcome(const HttpResponse&)>& decode);

// For encoders.
HttpRequest json_request(std::string url, Headers headers, std::string body,
                         const Request& request);
// The entries of a list of messages, in OpenAI's format.
void write_messages(base::JsonWriter& json, const std::vector<Message>& messages);
void write_messages(base::JsonWriter& json, const Request& request);  // the system prompt first
void write_system(base::JsonWriter& json, const Request& request);    // if there is one
// The key `tools` and its list, in the format of OpenAI and Ollama; nothing if there are none.
void write_tools(base::JsonWriter& json, const std::vector<Tool>& tools);
// The text of a tool's message for the model, for formats without an error flag.
std::string tool_text(const Message& message);
// The arguments of a call for formats that accept only an object: `{}` if they are not one.
std::string arguments_object(const ToolCall& call);

// For decoders.
tl::expected<base::JsonValue, Failure> parse_body(const HttpResponse& response);
Failure malformed(std::string_view problem, std::string_view body);
// What an error object says; none if there is no `error`.
std::optional<Failure> stated_error(const base::JsonValue& root);
std::optional<std::int64_t> count_of(const base::JsonValue* object, std::string_view key);
std::optional<double> dollars(const base::JsonValue* value);
std::string arguments_text(const base::JsonValue* arguments);  // of a tool call, as JSON

std::string excerpt(std::string_view text);  // one printable line
std::string shown(std::string_view name);    // a name or an address as a shorter line
// Redacts keys in a text from `from` on, or in what a failure's message quotes.
void hide_keys(std::string& text, const std::vector<std::string>& keys, std::size_t from = 0);
void redact(Failure& failure, const std::vector<std::string>& keys);

}  // namespace vibe::model
