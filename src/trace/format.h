// Format: the formats of logs, a row each, and what their readers have in common. A format is told
// by what is in a file, not by its name; one file of this folder reads it, one event after the
// other: what is held is what Session holds.
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
  std::size_t most_sessions = 0;  // of one log, which is an error with more; 0: any number
  std::uint64_t most_unpacked = base::UnpackLimits{}.unpacked;  // bytes of a packed log
  bool may_read_files = true;  // that a log names; a client may not name files of a server
  // True, from any thread: nobody waits for the log any more, and it is not read on. Null: never.
  const std::atomic<bool>* is_unwanted = nullptr;
};

using UseExecution = std::function<void(Execution)>;

// One log while it is read: its sessions, in the order in which they appear, and what was wrong.
class Reading {
 public:
  Reading(std::string file, const Options& options) : file_(std::move(file)), options_(options) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  const std::string& file() const { return file_; }
  const Options& options() const { return options_; }

  // Made when it is first asked for; or, if there is `other`, that one under another id.
  Session& session(std::string_view id, Session* other = nullptr);
  Session& new_session(std::string_view id = {});  // none: not known yet, if it has any
  void name(Session& session, std::string_view id);
  void add(Execution execution);  // as it is
  // More sessions came than may: there is an error, and reading on is of no use.
  bool is_full() const { return spare_.has_value(); }
  // The logs that follow are of sub-agents: what they have belongs to the sessions so far.
  void read_aside();

  void add_bad(const BadLines& lines);
  void add_bad_line(std::uint64_t line) { bad_.add(line); }
  void add_problem(const base::Diagnostics& problem);  // of the file, where it says of none
  void add_foreign() { ++foreign_; }                   // a line of another format
  const BadLines& bad_lines() const { return bad_; }
  const base::Diagnostics& problems() const { return problems_; }  // why it was not read to its end

  // Of the sessions that have any event, one after the other: each is gone from here before the
  // next is made. Ends the reading.
  void finish(std::string_view format, const UseExecution& use);
  std::vector<Execution> finish(std::string_view format);

 private:
  bool has_room();

  std::string file_;
  const Options& options_;
  std::deque<Session> sessions_;
  std::optional<Session> spare_;  // takes what is beyond the most sessions, and is not used
  std::unordered_map<std::size_t, Session*> by_id_;  // by the hash of their id
  std::deque<Execution> added_;
  BadLines bad_;
  std::uint64_t foreign_ = 0;
  base::Diagnostics problems_;
};

// What is read from where, for the documentation.
struct Field {
  std::string_view wanted, place;
};

struct Format {
  std::string_view name;       // `claude`, for --format
  std::string_view title;      // `Claude Code transcript`
  std::string_view found;      // where such logs lie, or how they are made
  std::string_view signs;      // what is looked for in the file: `objects with `sessionId` …`
  bool (*fits)(const Shape&);  // null: never. Whether one object of the beginning is of this format
  bool (*fits_archive)(std::string_view path);  // the same of a zip archive; null: never
  bool (*fits_text)(std::string_view head);     // the same of what is no JSON; null: never
  void (*read)(base::Input, Reading&);
  std::span<const Field> fields;
  std::string_view not_known;  // what such a log does not tell
  std::string_view versions;   // which were seen
  // Whether its sub-agents write logs of their own, which belong to its sessions.
  bool has_sub_agent_logs = false;
};
std::span<const Format> formats();  // formats.cpp

// Every object of the log. `use(Json)`.
template <class Use>
void read_values(base::ByteSource& input, Reading& reading, Use use) {
  Values values(input);
  for (Json value = values.next(); value.there() && !reading.is_full(); value = values.next())
    use(value);
  reading.add_bad(values.bad_lines());
  if (values.failure()) reading.add_problem(*values.failure());
}

// The same bytes, which end with Code::cannot_read where the log is not wanted any more.
std::unique_ptr<base::ByteSource> while_wanted(std::unique_ptr<base::ByteSource> source,
                                               const Options& options);

// Adds what a stream ended with, if with anything but its end.
void check_end(const base::JsonStream& stream, Reading& reading);

// Every document of the log, one after the other or in an array. `use(stream)` walks the object
// that comes next.
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

// For documents of any size: the next value of the stream, parsed; absent where it is damaged,
// which is counted as a bad line, or has more than Values::kMostBytes.
Json take(base::JsonStream& stream, Reading& reading, JsonParser& parser, std::string& text);

// A time stamp of any kind: ISO text, or a number (as such or as text) of seconds, milliseconds,
// microseconds or nanoseconds since 1970, which its size tells.
std::optional<Time> time_of(Json value);
std::optional<Time> time_of(std::string_view text);
Time to_time(double seconds);

// The text of a value: as it is where it is text, else as JSON (at most so many bytes).
std::string text_or_json(Json value, std::size_t most = kMostShown);
// Of a call: empty where calls are not kept.
std::string shown_input(const Session& session, Json input);
// Of `content`: text, or a list of blocks `{type: text, text}`, joined by an empty line.
std::string text_of_blocks(Json content, std::string_view separator = "\n\n");

// An `exit` that may be a number or a text of one; none: not known.
std::optional<std::int64_t> exit_code_of(Json value);

// Whether a text says so, by the rules of `ErrorPatterns`; unknown where there is no text.
Outcome outcome_of_output(std::string_view output, const ErrorPatterns& errors);

}  // namespace vibe::trace
