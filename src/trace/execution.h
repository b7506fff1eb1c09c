// Execution: what an agent did in one session, according to its log: tool calls, their outcome,
// time, tokens, cost, and the final answer. Plain data; times, tokens and cost are absent, never
// zero, if the log does not state them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::trace {

using Time = std::int64_t;  // microseconds since 1970 (UTC)

enum class Outcome : std::uint8_t { unknown, success, failure };
std::string_view to_string(Outcome outcome);
std::optional<Outcome> outcome(std::string_view name);

struct Call {
  std::string name;   // the tool's name
  std::string id;     // empty: not in the log
  std::string input;  // as JSON or text, at most kMostShown bytes
  Outcome outcome = Outcome::unknown;
  bool answered = false;  // the log has its result
  bool refused = false;   // a person denied or interrupted it: a correction, not a failure
  std::optional<std::int64_t> exit_code;
  std::string error;  // the error message in the result, at most kMostShown bytes
  std::optional<Time> start, end;
  std::string sub_agent;  // empty: the agent itself made the call

  bool operator==(const Call&) const = default;
};
inline constexpr std::size_t kMostShown = 2000;
inline constexpr std::size_t kMostName = 256;  // bytes of a name or id; many may repeat it
inline constexpr std::size_t kMostAnswer = std::size_t{4} << 20;  // the rest is cut off
inline constexpr std::size_t kMostPrompt = 16u << 10;             // the middle is cut out

// At most kMostName bytes of a name that many sessions or calls share.
std::string_view shortened_name(std::string_view name);

struct Tokens {
  std::int64_t input = 0, output = 0;
  std::int64_t cache_read = 0, cache_write = 0;
  bool cache_in_input = false;  // `input` includes cached tokens, as for OpenAI

  bool any() const { return input != 0 || output != 0 || cache_read != 0 || cache_write != 0; }
  std::int64_t all_input() const;  // including cached tokens
  void add(const Tokens& more);
  bool operator==(const Tokens&) const = default;
};

// What the final answer contains as Markdown; headers and lists count outside code blocks.
struct Structure {
  bool headers = false, lists = false, code_blocks = false;
  bool operator==(const Structure&) const = default;
};

// What a log can say about its task.
inline constexpr std::array<std::string_view, 4> kTaskTypes{"coding", "question", "analysis",
                                                            "other"};
inline constexpr std::array<std::string_view, 3> kComplexities{"simple", "medium", "complex"};

struct Execution {
  std::string id;            // of the session; empty: not in the log
  std::string file;          // the log it was read from
  std::string format;        // the name of a row of formats.cpp
  std::string agent, model;  // empty: not known
  std::string task_type;     // one of kTaskTypes; empty: not in the log
  std::string complexity;    // one of kComplexities; empty: not in the log

  std::int64_t tool_calls = 0;
  std::int64_t succeeded = 0, failed = 0, refused = 0, unknown = 0;  // add up to tool_calls
  std::int64_t unanswered = 0;      // calls without a result, whatever their outcome
  std::int64_t orphan_results = 0;  // results without a call: the log begins in the middle
  std::int64_t repeats = 0;       // the same tool called again with the same input after a failure
  std::int64_t api_retries = 0;   // by the model's service
  std::int64_t corrections = 0;   // the user interrupted, denied a call or corrected the agent
  std::int64_t other_errors = 0;  // other errors that the log counts
  bool writes_files = false;      // a tool that writes files was called

  std::optional<Time> started, ended;  // the first and the last time stamp
  std::optional<double> duration;      // seconds between them, if they differ
  std::optional<double> active;        // seconds of work, without idle time between turns
  std::optional<Tokens> tokens;
  std::optional<double> cost;   // US dollars
  bool cost_is_stated = false;  // by the log; else computed from tokens and prices
  std::string output;           // the final answer
  std::string prompt;           // the last prompt; empty: not known
  Structure structure;          // of the answer; only vibecheck's own logs set it
  std::optional<bool> ended_in_error;

  std::uint64_t bad_lines = 0;  // lines of the file that could not be read
  std::vector<std::string> notes;
  std::vector<Call> calls;  // in order; only if the caller asked for them

  bool operator==(const Execution&) const = default;
};

}  // namespace vibe::trace
