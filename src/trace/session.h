// Session: folds the events of one session, in the order of its log, into an Execution. Knows what
// holds for every format: a call counts once however often it is logged, a refusal is a correction
// and no failure, the usage of a message is that of its last line, counters repeat and reset, the
// hours in which nobody asked are not work. Its memory grows with the calls that have an id and
// with the messages, not with the log; a log may have very many sessions, so that what few of them
// need is made when it is needed. Belongs to one thread.
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

// A call as it begins. Texts are copied where they are kept.
struct CallStart {
  std::string_view name;
  std::string_view id = {};      // empty: the log gives none
  std::uint64_t input_hash = 0;  // equal for equal inputs
  std::string_view input = {};   // to be shown, where calls are kept
  std::optional<Time> time = {};
  std::string_view sub_agent = {};
};

struct CallEnd {
  Outcome outcome = Outcome::unknown;
  std::optional<std::int64_t> exit_code = {};
  std::string_view error = {};  // what to show of a failure
  bool refused = false;         // by a person
  std::optional<Time> time = {};
};

// Calls that were logged when they were done, and need no list: added up elsewhere, in less memory
// than a Session takes, so that logs of many sessions stay in the processor's cache.
struct CallTally {
  std::uint64_t last_key = 0;  // of the last call that failed
  Time first = 0, latest = 0;  // where `timed`
  std::uint64_t tools = 0;     // bits, whose meaning the owner knows
  std::uint32_t calls = 0, succeeded = 0, failed = 0, repeats = 0;
  bool timed = false, last_failed = false;

  // `key` is asked for only where it matters.
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

// Of a tool and its input: equal for equal ones.
std::uint64_t call_key(std::string_view tool, std::uint64_t input_hash);

class Session {
 public:
  Session(std::string id, bool keep_calls) : keep_calls_(keep_calls) {
    execution_.id = std::move(id);
  }

  bool keeps_calls() const { return keep_calls_; }
  bool used() const { return used_; }        // any event told more than a time
  Execution& facts() { return execution_; }  // agent, task, …: what needs no folding

  void seen(std::optional<Time> time);      // an event, of any kind
  void prompted(std::optional<Time> time);  // the event is that a person asks: a turn begins
  // The following events are of a sub-agent's own log: they lie within the turns that were seen.
  void read_aside() { aside_ = true; }
  void asked(std::string_view text);   // by a person: what the answers from here on are for
  void tasked(std::string_view text);  // what all of the session is for, wherever the log says it
  void worked(double seconds);         // as the log says

  void begin(const CallStart& call);
  // Its result; without a call an orphan. Without an id, that of the oldest open call without one.
  void end(std::string_view id, const CallEnd& result);
  bool has_begun(std::string_view id) const;
  bool last_failed() const { return last_.outcome == Outcome::failure; }  // the call before

  // Calls without an id: one that is logged when it is done, and one whose result is that of the
  // oldest open one with its name and, if there is such a one, its input.
  void done(const CallStart& call, const CallEnd& result);
  void done(const CallTally& calls);  // the tools are told by called()
  void called(std::string_view tool);
  CallTally new_tally() const;  // that goes on where this stands
  void begin_unnamed(const CallStart& call);
  void end_unnamed(const CallStart& call, const CallEnd& result);
  // What is open has failed, since the log has results of successes only; but the last call may
  // still run where the log ends with it.
  void fail_open_calls(bool last_may_run);

  void corrected(std::optional<Time> time = {});  // one that was told before counts once
  void api_retried();

  // What one message of the model took; of several with the same id the last counts, and each
  // without an id does.
  void spent(std::string_view message, std::string_view model, const Tokens& tokens);
  // A counter over the whole session, which is told again and again and may fall back.
  void counted(std::string_view model, const Tokens& total);
  void cost(double dollars);  // as the log says, of all of the session; what cannot be is ignored
  void add_cost(double dollars);
  void modelled(std::string_view model);  // answers from here on
  std::string_view model() const;         // that answers now; empty: not known

  void ended(std::optional<bool> in_error);  // the run itself

  // The last one is final; nothing is none. What has the same message's id is one answer.
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
    std::unordered_map<std::uint64_t, State> all;                 // by the hash of their id
    std::unordered_map<std::uint64_t, std::string> early_errors;  // of results before their calls
  };
  struct Numbers {
    std::vector<std::uint32_t> all;
    std::size_t first = 0;  // that may be open
  };
  using ByKey = std::unordered_map<std::uint64_t, Numbers>;
  struct UnnamedCalls {
    std::map<std::uint32_t, State> open;  // by number
    // Numbers of those, and of some that are not open any more, by input and by tool.
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
    std::optional<std::size_t> model;  // that answers now, in `models`
    std::optional<Tokens> counter;
    std::int64_t falls = 0;  // of the counter
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
  State last_;  // the call that began last, as far as it has come
  std::unique_ptr<NamedCalls> named_;
  std::unique_ptr<UnnamedCalls> unnamed_;
  std::unique_ptr<Usage> usage_;
  std::uint64_t answer_message_ = 0;  // hash of its id; 0: it has none
  std::string asked_, task_;          // asked_: and not answered yet

  std::optional<Time> first_, latest_, turn_begin_, turn_end_;
  std::optional<Time> corrected_;  // the last time
  Time active_ = 0;
  std::optional<double> worked_;
};
static_assert(sizeof(Session) <= 896,
              "of very many sessions in one log each has 1 KB, with an index");

}  // namespace vibe::trace
