// LogFormat: the log formats, one row each, and the code that their readers share. The format is
// detected from the content, not the file name. Each format has one source file in this folder,
// which reads events one at a time: memory holds only what Session keeps.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "base/json_stream.h"
#include "base/unpack.h"
#include "trace/errors.h"
#include "trace/execution.h"
#include "trace/json.h"
#include "trace/prices.h"
#include "trace/session.h"
#include "trace/shape.h"
#include "trace/values.h"

namespace vibe::trace {

struct Options {
  bool keep_calls = false;
  std::size_t threads = 1;
  const ErrorPatterns& errors;
  const Prices& prices;
  std::size_t most_sessions = 0;  // per log, more are an error; 0: unlimited
  std::uint64_t most_unpacked = base::UnpackLimits{}.unpacked;  // bytes of a compressed log
  bool may_read_files = true;  // files named in the log; a client must not read files of a server
  // Set to true, from any thread, to stop reading: nobody needs the log any more. Null: never.
  const std::atomic<bool>* is_unwanted = nullptr;
};

using UseExecution = std::function<void(Execution)>;

// One log while it is read: its sessions, in order of appearance, and the problems found.
class Reading {
 public:
  Reading(std::string file, const Options& options) : file_(std::move(file)), options_(options) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  const std::string& file() const { return file_; }
  const Options& options() const { return options_; }

  // Creates the session on first use; with `other`, makes the id an alias of that session.
  Session& session(std::string_view id, Session* other = nullptr);
  Session& new_session(std::string_view id = {});  // empty: unknown so far
  void name(Session& session, std::string_view id);
  void add(Execution execution);  // unchanged
  // The log has too many sessions: an error was added, and the caller can stop reading.
  bool is_full() const { return spare_.has_value(); }
  // The following logs belong to sub-agents: their events are added to the sessions so far.
  void read_aside();

  void add_bad(const BadLines& lines);
  void add_bad_line(std::uint64_t line) { bad_.add(line); }
  void add_problem(const base::Diagnostics& problem);  // in this file, unless it names another
  void add_foreign() { ++foreign_; }                   // a line in another format
  const BadLines& bad_lines() const { return bad_; }
  const base::Diagnostics& problems() const { return problems_; }  // why it stopped early

  // Passes on an execution for each session that has events, one at a time: each session is freed
  // before the next execution is made. Ends the reading.
  void finish(std::string_view format, const UseExecution& use);
  std::vector<Execution> finish(std::string_view format);

 private:
  bool has_room();

  std::string file_;
  const Options& options_;
  std::deque<Session> sessions_;
  std::optional<Session> spare_;  // receives the events of sessions beyond the limit; discarded
  std::unordered_map<std::size_t, Session*> by_id_;  // by the hash of the id
  std::deque<Execution> added_;
  BadLines bad_;
  std::uint64_t foreign_ = 0;
  base::Diagnostics problems_;
};

// Which value is read from where, for the documentation.
struct Field {
  std::string_view wanted, place;
};

struct LogFormat {
  std::string_view name;       // `claude`, for --format
  std::string_view title;      // `Claude Code transcript`
  std::string_view found;      // where such logs are, or how to make them
  std::string_view signs;      // what identifies the format: `objects with `sessionId` …`
  bool (*fits)(const Shape&);  // whether an early object is in this format; null: never
  bool (*fits_archive)(std::string_view path);  // the same for a zip archive; null: never
  bool (*fits_text)(std::string_view head);     // the same for text that is not JSON; null: never
  void (*read)(base::Input, Reading&);
  std::span<const Field> fields;
  std::string_view not_known;  // what such a log does not state
  std::string_view versions;   // versions seen
  // Whether its sub-agents write separate logs, which belong to its sessions.
  bool has_sub_agent_logs = false;
};
std::span<const LogFormat> formats();  // formats.cpp

// Calls `use(Json)` for every object of the log.
template <class Use>
void read_values(base::ByteSource& input, Reading& reading, Use use) {
  Values values(input);
  for (Json value = values.next(); value.there() && !reading.is_full(); value = values.next())
    use(value);
  reading.add_bad(values.bad_lines());
  if (values.failure()) reading.add_problem(*values.failure());
}

// The same bytes; reading fails with Code::cannot_read once the caller no longer needs the log.
std::unique_ptr<base::ByteSource> while_wanted(std::unique_ptr<base::ByteSource> source,
                                               const Options& options);

// Reports why the stream stopped, unless it reached its end.
void check_end(const base::JsonStream& stream, Reading& reading);

// Calls `use(stream)` for every document of the log, whether concatenated or in an array. `use`
// walks the next object.
template <class Use>
void read_documents(base::ByteSource& input, Reading& reading, Use use) {
  base::JsonStream stream(input);
  for (char next = stream.next(); next != 0 && !reading.is_full(); next = stream.next()) {
    if (next == '{')
      use(stream);
    else if (next == '[')
      stream.array([&] { stream.next() == '{' ? use(stream) : static_cast<void>(stream.skip()); });
    else
      stream.skip();
  }
  check_end(stream, reading);
}

// For documents of any size: the next value of the stream, parsed. Absent if it is larger than
// Values::kMostBytes or damaged; damage counts as a bad line.
Json take(base::JsonStream& stream, Reading& reading, JsonParser& parser, std::string& text);

// A time stamp of any kind: ISO text, or a number (also as text) of seconds, milliseconds,
// microseconds or nanoseconds since 1970. The size of the number shows the unit.
std::optional<Time> time_of(Json value);
std::optional<Time> time_of(std::string_view text);
Time to_time(double seconds);

// The text of a value: unchanged if it is text, else as JSON of at most `most` bytes.
std::string text_or_json(Json value, std::size_t most = kMostShown);
// The input of a call, for display; empty if calls are not kept.
std::string shown_input(const Session& session, Json input);
// The text of `content`: text, or a list of blocks `{type: text, text}`, joined by `separator`.
std::string text_of_blocks(Json content, std::string_view separator = "\n\n");

// An exit code, given as a number or as text; none: not known.
std::optional<std::int64_t> exit_code_of(Json value);

// Failure if the output matches an error pattern; unknown without output.
Outcome outcome_of_output(std::string_view output, const ErrorPatterns& errors);

}  // namespace vibe::trace
