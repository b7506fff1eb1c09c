// Execution: what an agent did in one session, as its log tells it: the calls of tools, their
// outcome, time, tokens, cost, and the final answer. Plain data; times, tokens and cost that the
// log does not tell are absent, never zero.
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

struct Call {
  std::string name;   // of the tool
  std::string id;     // empty: the log gives none
  std::string input;  // as JSON or text, at most kMostShown bytes
  Outcome outcome = Outcome::unknown;
  bool answered = false;  // the log has its result
  bool refused = false;   // a person denied or interrupted it: a correction, not a failure
  std::optional<std::int64_t> exit_code;
  std::string error;  // what the result says of its failure, at most kMostShown bytes
  std::optional<Time> start, end;
  std::string sub_agent;  // empty: the agent itself called

  bool operator==(const Call&) const = default;
};
inline constexpr std::size_t kMostShown = 2000;
inline constexpr std::size_t kMostName = 256;  // of a name or an id that is kept many times
inline constexpr std::size_t kMostAnswer = std::size_t{4} << 20;  // of a longer one the beginning
inline constexpr std::size_t kMostPrompt = 16u << 10;  // of a longer one the beginning and the end

// A name that one place of a log gives to many sessions or calls, in at most kMostName bytes.
std::string_view shortened_name(std::string_view name);

struct Tokens {
  std::int64_t input = 0, output = 0;
  std::int64_t cache_read = 0, cache_write = 0;
  bool cache_in_input = false;  // `input` counts the cached ones too, as OpenAI does

  bool any() const { return input != 0 || output != 0 || cache_read != 0 || cache_write != 0; }
  std::int64_t all_input() const;  // with the cached ones
  void add(const Tokens& more);
  bool operator==(const Tokens&) const = default;
};

// Of the final answer, as Markdown; headers and lists count outside of code blocks.
struct Structure {
  bool headers = false, lists = false, code_blocks = false;
  bool operator==(const Structure&) const = default;
};

// What a log can say of its task.
inline constexpr std::array<std::string_view, 4> kTaskTypes{"coding", "question", "analysis",
                                                            "other"};
inline constexpr std::array<std::string_view, 3> kComplexities{"simple", "medium", "complex"};

struct Execution {
  std::string id;            // of the session; empty: the log gives none
  std::string file;          // the log it was read from
  std::string format;        // the name of a row of formats.cpp
  std::string agent, model;  // empty: not known
  std::string task_type;     // as the log says, one of kTaskTypes; empty: it does not
  std::string complexity;    // of kComplexities

  std::int64_t tool_calls = 0;
  std::int64_t succeeded = 0, failed = 0, refused = 0, unknown = 0;  // of the calls: all of them
  std::int64_t unanswered = 0;      // calls without a result, whatever their outcome
  std::int64_t orphan_results = 0;  // results without a call: the log begins in the middle
  std::int64_t repeats = 0;         // calls of the same tool with the same input after a failure
  std::int64_t api_retries = 0;     // of the model's service
  std::int64_t corrections = 0;     // the user interrupted, denied a call or corrected the agent
  std::int64_t other_errors = 0;    // that the log counts, and none of the above is
  bool writes_files = false;        // a tool that writes files was called

  std::optional<Time> started, ended;  // the first and the last time stamp
  std::optional<double> duration;      // seconds between them, where they differ
  std::optional<double> active;        // seconds at work: without the hours in which nobody asked
  std::optional<Tokens> tokens;
  std::optional<double> cost;   // US dollars
  bool cost_is_stated = false;  // by the log; else from tokens and prices
  std::string output;           // the final answer
  std::string prompt;           // what was asked for last; empty: not known
  Structure structure;          // of the answer; false unless a log of our own says otherwise
  std::optional<bool> ended_in_error;

  std::uint64_t bad_lines = 0;  // of the file: neither read nor part of the figures
  std::vector<std::string> notes;
  std::vector<Call> calls;  // in their order; only where they were asked for

  bool operator==(const Execution&) const = default;
};

}  // namespace vibe::trace
