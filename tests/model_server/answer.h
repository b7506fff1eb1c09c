// Answers of the model server: a request to one of the providers' routes → the bytes to send
// and how. Keeps count of the prompts whose directives count; else each answer depends on its
// request alone. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json_value.h"
#include "model_server/directive.h"

namespace model_server {

struct Request {
  std::string_view method, path;  // the path without its query
  std::string_view head;          // all lines of the headers
  std::string_view body;

  std::string_view header(std::string_view name) const;  // lower case
};

struct Reply {
  int status = 200;
  std::string type = "application/json";
  std::string headers;  // more lines, each with its end
  std::string body;
  double latency = 0;  // milliseconds
  double drip = 0;     // milliseconds between two bytes of the body
  enum class Ending : std::uint8_t { whole, reset, closed } ending = Ending::whole;
};

struct Options {
  double latency = 0;        // milliseconds
  bool usage = true;         // answers state tokens
  std::string required_key;  // empty: none
};

enum class Dialect : std::uint8_t { openai, openrouter, anthropic, ollama, echo, embeddings };

inline constexpr std::size_t kVectorSize = 64;  // of an embedding

// What was asked, whatever the provider.
struct Question {
  std::string model, prompt;           // the last message of the user
  std::int64_t words = 0;              // of all messages
  int tools = 0;                       // that are offered
  int rounds = 0;                      // of calls since the prompt
  std::vector<std::string> results{};  // of those calls, in order
  Directives directives;
};

class Answers {
 public:
  explicit Answers(Options options) : options_(std::move(options)) {}

  Reply answer(const Request& request);
  void reset() { seen_.clear(); }

 private:
  Reply converse(const Request& request, Dialect dialect);
  void fail(Reply& reply, Dialect dialect, const Failing& failing) const;
  bool is_allowed(const Request& request, Dialect dialect) const;

  Options options_;
  std::unordered_map<std::string, int> seen_;
  std::uint64_t count_ = 0;
};

// The tools of a request; what a provider would refuse about them, or nothing.
std::string read_tools(const vibe::base::JsonValue& body, Dialect dialect, Question& out);

// The body of an answer, as the provider words it.
std::string answer_body(Dialect dialect, const Question& question, bool usage,
                        std::uint64_t number);
std::string embeddings_body(const Question& question, bool usage);
std::string error_body(Dialect dialect, int status, std::string_view message);
std::string models_body(Dialect dialect);

}  // namespace model_server
