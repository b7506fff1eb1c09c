// Executions of agents as people and programs read them: a table of sessions, the timeline of
// their calls, JSON and JSON lines. Pure. There may be very many: a report is made of one after the
// other, and what is written of it can be taken meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/run.h"
#include "report/table.h"
#include "trace/execution.h"

namespace vibe::report {

// Of a session: its id, or else the name of its file.
std::string name_of(std::string_view id, std::string_view file);
std::string name_of(const trace::Execution& execution);

// Each note once, with the sessions that it is about, below a table; empty without a note.
class NotesBelow {
 public:
  void add(std::string_view session, const std::vector<std::string>& notes);
  std::string text() const;

 private:
  static constexpr std::size_t kMostNamed = 3;
  struct About {
    std::string sessions;  // the first kMostNamed
    std::size_t count = 0;
  };
  std::map<std::string, About> about_;
  std::vector<const std::string*> order_;  // in which they came
};

// The items of an array, in JSON as JsonWriter indents it.
class JsonItems {
 public:
  void add(std::string_view item, std::string& out);
  void end(std::string& out) const;

 private:
  bool any_ = false;
};

enum class ExecutionForm : std::uint8_t {
  table,      // a row for each session, the sum of several, and what was odd about each
  timelines,  // before it, the calls of each in their order; failures and refusals are marked
  json,       // an array, with calls
  jsonl,
  jsonl_with_calls,
};

class ExecutionReport {
 public:
  ExecutionReport(ExecutionForm form, const TextStyle& style);

  void add(trace::Execution one);
  std::string take() { return std::exchange(text_, {}); }  // what is written, and was not taken
  std::string finish();                                    // the rest

 private:
  ExecutionForm form_;
  TextStyle style_;
  std::string text_;
  JsonItems items_;
  Table table_;
  NotesBelow notes_;
  std::size_t count_ = 0;
  trace::Execution sum_;
  std::vector<bool> has_gap_;  // by column: it is not known of every session
};

// All at once.
std::string execution_report(ExecutionForm form, std::span<const trace::Execution> executions,
                             const TextStyle& style);

}  // namespace vibe::report
