// Agent executions as a table of sessions, a timeline of their calls, JSON and JSON lines. Pure.
// There may be very many: a report takes them one at a time, and its text can be taken in parts.
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
#include "wire/json.h"

namespace vibe::report {

// The name of a session: its id, or else its file name.
std::string name_of(std::string_view id, std::string_view file);
std::string name_of(const trace::Execution& execution);

// Lists each note once, with its sessions, below a table; empty without notes.
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
  std::vector<const std::string*> order_;  // of first appearance
};

enum class ExecutionForm : std::uint8_t {
  table,      // a row per session, the sum if there are several, and notes
  timelines,  // the calls of each session in order, with failures and refusals marked; then the
              // table
  json,       // an array, with calls
  jsonl,
  jsonl_with_calls,
};

class ExecutionReport {
 public:
  ExecutionReport(ExecutionForm form, const TextStyle& style);

  void add(trace::Execution one);
  std::string take() { return std::exchange(text_, {}); }  // the text so far that was not taken
  std::string finish();                                    // the rest

 private:
  ExecutionForm form_;
  TextStyle style_;
  std::string text_;
  wire::JsonItems items_;
  Table table_;
  NotesBelow notes_;
  std::size_t count_ = 0;
  trace::Execution sum_;
  std::vector<bool> has_gap_;  // by column: unknown for some session
};

// All at once.
std::string execution_report(ExecutionForm form, std::span<const trace::Execution> executions,
                             const TextStyle& style);

}  // namespace vibe::report
