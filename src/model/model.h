// Model: answers a request. One file per provider implements it; model/open.h picks one by the
// model's name. Answers arrive asynchronously, many at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace vibe::model {

// A tool that a model may call.
struct Tool {
  std::string name{}, description{};
  std::string parameters{};  // the JSON Schema of its arguments, as JSON text
};

struct ToolCall {
  std::string id{}, name{};
  std::string arguments{};              // JSON text, as the model gave it
  std::optional<std::string> result{};  // the tool's result; none: the call was not carried out
  bool failed = false;                  // the result is an error
};

struct Message {
  enum class Role : std::uint8_t { user, assistant, tool };
  Role role = Role::user;
  std::string text{};
  std::vector<ToolCall> tool_calls{};  // only of the assistant
  std::string call_id{};               // only of a tool: the call that it answers
  bool failed = false;                 // only of a tool: the text is an error
};

// Passed to the model if set; else the model decides.
struct Parameters {
  std::optional<double> temperature{}, top_p{};
  std::optional<std::int64_t> max_output_tokens{}, seed{};
};

struct Request {
  std::string system{};  // empty: none
  std::vector<Message> messages{};
  std::vector<Tool> tools{};
  Parameters parameters{};
  double timeout = 60;        // seconds, for each try
  std::uint32_t ordinal = 0;  // its index among equal requests of a run, in the plan's order
};

// A number that the provider did not state is unknown, not 0.
struct Usage {
  std::optional<std::int64_t> prompt{};       // total, including cached tokens
  std::optional<std::int64_t> completion{};   // total, including thinking
  std::optional<std::int64_t> thinking{};     // part of the completion
  std::optional<std::int64_t> cached{};       // part of the prompt, read from the provider's cache
  std::optional<std::int64_t> cache_write{};  // part of the prompt, written to that cache
};

struct Cost {
  std::optional<double> input{}, output{};  // US dollars; none if only the total is known
  std::optional<double> total{};            // none: the price is unknown
};

struct Answer {
  std::string text{};  // as received, UTF-8 or not; may be empty
  std::string thinking{};
  std::string stop_reason{};           // as the provider calls it
  std::vector<ToolCall> tool_calls{};  // of all rounds, in order
  std::vector<Message> steps{};        // the messages before `text`: calls and their results
  Usage usage{};
  Cost cost{};
  double latency = 0;  // seconds, from the first byte sent to the last received
  int tries = 1;
  // The fitness of the execution behind the answer, 0–100, from the log that the program wrote.
  std::optional<double> fitness{};  // none: unknown
  std::string fitness_error{};      // why it is unknown although there is a log
};

struct Failure {
  enum class Kind : std::uint8_t {
    cancelled,    // by cancel()
    timed_out,    // the request took too long
    unreachable,  // no connection, or it broke, after all tries
    refused,      // by the provider: a bad key, a bad request, too many requests
    malformed,    // an answer that could not be understood
    missing,      // a recording without this answer
  };
  Kind kind = Kind::unreachable;
  std::string message{};           // what happened, and what the provider said
  int tries = 1;                   // 0: it was not sent
  std::optional<double> cost = 0;  // US dollars, for the answers before it; none: unknown
  // The message's first bytes that are our own words: they hold no secret.
  std::size_t own = 0;
};

// A failure whose whole message is our own words.
inline Failure own_failure(Failure::Kind kind, std::string message, int tries = 1) {
  const std::size_t own = message.size();
  return {kind, std::move(message), tries, 0, own};
}

std::string_view to_string(Failure::Kind kind);
std::string_view to_string(Message::Role role);

using Outcome = tl::expected<Answer, Failure>;
using Done = std::function<void(Outcome)>;

// Reads the log that a program wrote while it answered, and sets the answer's fitness, or why there
// is none. The program wrote the file, so it may contain anything. Safe from any thread.
using ScoreLog =
    std::function<void(const std::string& file, const Request& request, Answer& answer)>;

class Model {
 public:
  // Ends requests in flight, as cancel() does, and waits until every `done` was called.
  virtual ~Model() = default;

  // Calls `done` exactly once, from any thread, perhaps before it returns.
  virtual void ask(const Request& request, Done done) = 0;

  // Soon ends requests in flight with Failure::Kind::cancelled. Safe from any thread.
  virtual void cancel() = 0;
};

}  // namespace vibe::model
