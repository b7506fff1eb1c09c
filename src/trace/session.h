// Session: folds the events of one session, in log order, into an Execution. Knows the rules that
// hold for every format: a call counts once however often it is logged, a refusal is a correction
// and not a failure, the last line of a message has its usage, running totals repeat and reset,
// idle time between turns is not work. Memory grows with the calls that have an id and with the
// messages, not with the log. A log may have very many sessions, so rarely used parts are allocated
// on demand. Belongs to one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/execution.h"
#include "trace/prices.h"

namespace vibe::trace {

// The begin of a call. Texts that are kept are copied.
struct CallStart {
  std::string_view name;
  std::string_view id = {};      // empty: not in the log
  std::uint64_t input_hash = 0;  // equal for equal inputs
  std::string_view input = {};   // for display, if calls are kept
  std::optional<Time> time = {};
  std::string_view sub_agent = {};
};

struct CallEnd {
  Outcome outcome = Outcome::unknown;
  std::optional<std::int64_t> exit_code = {};
  std::string_view error = {};  // the error message, for display
  bool refused = false;         // by a person
  std::optional<Time> time = {};
};

// Counts calls that were logged when they were done, if no list of calls is needed. Takes less
// memory than a Session, so that logs with many sessions stay in the processor's cache.
struct CallTally {
  std::uint64_t last_key = 0;  // of the last call that failed
  Time first = 0, latest = 0;  // if `timed`
  std::uint64_t tools = 0;     // bits, whose meaning the owner knows
  std::uint32_t calls = 0, succeeded = 0, failed = 0, repeats = 0;
  bool timed = false, last_failed = false;

  // `key` is called only if its value matters.
  template <class Key>
  void add(Outcome outcome, std::optional<Time> time, std::size_t tool, Key key) {
    const bool fails = outcome == Outcome::failure;
    if (fails || last_failed) {
      const std::uint64_t now = key();
      repeats += last_failed && now == last_key ? 1 : 0;
      last_key = now;
    }
    last_failed = fails;
    ++calls;
    succeeded += outcome == Outcome::success ? 1 : 0;
    failed += fails ? 1 : 0;
    tools |= std::uint64_t{1} << tool;
    if (!time) return;
    first = timed ? std::min(first, *time) : *time;
    latest = timed ? std::max(latest, *time) : *time;
    timed = true;
  }
};

// A hash of a tool and its input.
std::uint64_t call_key(std::string_view tool, std::uint64_t input_hash);

class Session {
 public:
  Session(std::string id, bool keep_calls) : keep_calls_(keep_calls) {
    execution_.id = std::move(id);
  }

  bool keeps_calls() const { return keep_calls_; }
  bool used() const { return used_; }        // some event had more than a time
  Execution& facts() { return execution_; }  // agent, task, …: fields that need no folding

  void seen(std::optional<Time> time);      // any event
  void prompted(std::optional<Time> time);  // a prompt by a person: a turn begins
  // The following events come from a sub-agent's log: they are within the turns seen so far.
  void read_aside() { aside_ = true; }
  void asked(std::string_view text);   // a person's prompt for the following answers
  void tasked(std::string_view text);  // the prompt for the whole session, at any point in the log
  void worked(double seconds);         // as stated in the log

  void begin(const CallStart& call);
  // The result of a call; an orphan if there is none. Without an id, it belongs to the oldest open
  // call without an id.
  void end(std::string_view id, const CallEnd& result);
  bool has_begun(std::string_view id) const;
  bool last_failed() const { return last_.outcome == Outcome::failure; }  // the previous call

  // Calls without an id. done(): a call that is logged when it is done. end_unnamed(): the result
  // belongs to the oldest open call of that tool, with the same input if there is one.
  void done(const CallStart& call, const CallEnd& result);
  void done(const CallTally& calls);  // called() names the tools
  void called(std::string_view tool);
  CallTally new_tally() const;  // continues from the current state
  void begin_unnamed(const CallStart& call);
  void end_unnamed(const CallStart& call, const CallEnd& result);
  // Open calls have failed, because the log has results only for successes. The last call may still
  // be running if the log ends with it.
  void fail_open_calls(bool last_may_run);

  void corrected(std::optional<Time> time = {});  // a correction that is logged twice counts once
  void api_retried();

  // The token usage of one model message. The last one with the same id counts; without an id, each
  // one does.
  void spent(std::string_view message, std::string_view model, const Tokens& tokens);
  // A running total for the whole session, which is logged repeatedly and may reset.
  void counted(std::string_view model, const Tokens& total);
  void cost(double dollars);  // of the whole session, as stated in the log; ignored if impossible
  void add_cost(double dollars);
  void modelled(std::string_view model);  // gives the following answers
  std::string_view model() const;         // the current one; empty: not known

  void ended(std::optional<bool> in_error);  // the run itself

  // The last answer is final; an empty text is not an answer. Texts with the same message id form
  // one answer.
  void answered(std::string_view text, std::string_view message = {});
  void noted(std::string note);

  Execution finish(const Prices& prices);

 private:
  struct State {            // of a call
    std::uint64_t key = 0;  // of its tool and input
    std::uint64_t tool = 0;
    std::uint32_t number = 0;  // in the order of the log
    Outcome outcome = Outcome::unknown;
    bool begun = false, answered = false, refused = false;
    std::optional<std::int64_t> exit_code = {};
  };
  struct NamedCalls {
    std::unordered_map<std::uint64_t, State> all;                 // by the hash of the id
    std::unordered_map<std::uint64_t, std::string> early_errors;  // of results before their calls
  };
  struct Numbers {
    std::vector<std::uint32_t> all;
    std::size_t first = 0;  // the first that may be open
  };
  using ByKey = std::unordered_map<std::uint64_t, Numbers>;
  struct UnnamedCalls {
    std::map<std::uint32_t, State> open;  // by number
    // Numbers of these, and of some that are no longer open, by input and by tool.
    ByKey keys, tools;
  };
  struct Spent {
    std::size_t model;
    Tokens tokens;
  };
  struct Usage {
    std::unordered_map<std::uint64_t, std::size_t> messages;  // hash of the id → index in `spent`
    std::vector<Spent> spent;
    std::vector<const std::string*> models;  // keys of `by_name`
    std::map<std::string, std::size_t, std::less<>> by_name;
    std::optional<std::size_t> model;  // the current one, an index into `models`
    std::optional<Tokens> counter;
    std::int64_t falls = 0;  // how often the running total was reset
  };

  NamedCalls& named();
  UnnamedCalls& unnamed();
  Usage& usage();
  State start(const CallStart& call);
  State* oldest_open(ByKey& by, std::uint64_t key);
  void finish_call(State& state, const CallEnd& result);
  void end_open(State* call, const CallEnd& result);
  void count(const State& state);
  std::size_t model_index(std::string_view model);
  std::optional<double> price_of_tokens(const Prices& prices);
  void add_usage();
  void find_times();
  void add_notes();

  Execution execution_;
  bool keep_calls_, used_ = false, aside_ = false, has_turns_ = false, is_answer_cut_ = false;
  std::uint32_t begun_ = 0;
  State last_;  // the last call that began, in its current state
  std::unique_ptr<NamedCalls> named_;
  std::unique_ptr<UnnamedCalls> unnamed_;
  std::unique_ptr<Usage> usage_;
  std::uint64_t answer_message_ = 0;  // hash of its id; 0: it has none
  std::string asked_, task_;          // asked_: not answered yet

  std::optional<Time> first_, latest_, turn_begin_, turn_end_;
  std::optional<Time> corrected_;  // when last
  Time active_ = 0;
  std::optional<double> worked_;
};
static_assert(sizeof(Session) <= 896,
              "a log may have very many sessions: each takes 1 KB, with its index");

}  // namespace vibe::trace
