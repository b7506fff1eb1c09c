#include "trace/session.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::trace {

namespace {

// Tools that write files, by the names that agents give them, in lower case.
constexpr std::array<std::string_view, 12> kWriters{
    "apply_patch",        "create",    "create_file",  "edit",
    "edit_file",          "multiedit", "notebookedit", "replace",
    "str_replace_editor", "write",     "write_file",   "str_replace_based_edit_tool"};

bool writes_files(std::string_view tool) {
  const std::string name = base::lower_ascii(tool);
  return std::find(kWriters.begin(), kWriters.end(), name) != kWriters.end();
}

constexpr std::size_t kMostTools = 64;  // that are remembered

std::uint64_t hash(std::string_view text) { return std::hash<std::string_view>{}(text); }

// Where the text can be cut, at this place or before.
std::size_t cut_before(std::string_view text, std::size_t at) {
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

std::string cut(std::string_view text) {
  if (text.size() <= kMostShown) return std::string(text);
  return std::string(text.substr(0, cut_before(text, kMostShown))) + "…";
}

// What an answer has to look like stands often at the end of what was asked.
std::string cut_middle(std::string_view text) {
  constexpr std::string_view kMark = "\n…\n";
  constexpr std::size_t kHalf = (kMostPrompt - kMark.size()) / 2;
  if (text.size() <= kMostPrompt) return std::string(text);
  std::size_t end = text.size() - kHalf;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return fmt::format("{}{}{}", text.substr(0, cut_before(text, kHalf)), kMark, text.substr(end));
}

double seconds(Time micros) { return static_cast<double>(micros) / 1e6; }

price::TokenCounts to_counts(const Tokens& tokens) {
  const std::int64_t cached = tokens.cache_read + tokens.cache_write;
  return {.prompt = tokens.cache_in_input ? std::max(tokens.input, cached) : tokens.input + cached,
          .completion = tokens.output,
          .cache_read = tokens.cache_read,
          .cache_write = tokens.cache_write};
}

}  // namespace

std::uint64_t call_key(std::string_view tool, std::uint64_t input_hash) {
  return hash(tool) * 31 + input_hash;
}

void Session::seen(std::optional<Time> time) {
  if (!time) return;
  first_ = std::min(first_.value_or(*time), *time);
  latest_ = std::max(latest_.value_or(*time), *time);
  if (aside_) return;
  if (!has_turns_) turn_begin_ = std::min(turn_begin_.value_or(*time), *time);
  turn_end_ = std::max(turn_end_.value_or(*time), *time);
}

void Session::prompted(std::optional<Time> time) {
  used_ = true;
  const bool told_before = has_turns_ && time && *time <= *turn_begin_;  // history that is replayed
  if (time && !aside_ && !told_before) {
    if (turn_begin_) active_ += std::max<Time>(0, std::min(*turn_end_, *time) - *turn_begin_);
    turn_begin_ = time;
    has_turns_ = true;
  }
  seen(time);
}

void Session::worked(double seconds) {
  constexpr double kMost = 1e10;
  if (seconds >= 0 && seconds < kMost) worked_ = seconds;
}

Session::State Session::start(const CallStart& call) {
  used_ = true;
  State state;
  state.tool = hash(call.name);
  state.key = call_key(call.name, call.input_hash);
  state.number = begun_++;
  state.begun = true;
  if (begun_ > 1 && last_.outcome == Outcome::failure && !last_.refused && last_.key == state.key)
    execution_.repeats++;
  called(call.name);
  if (keep_calls_)
    execution_.calls.push_back({.name = std::string(call.name),
                                .id = std::string(call.id),
                                .input = cut(call.input),
                                .exit_code = {},
                                .error = {},
                                .start = call.time,
                                .end = {},
                                .sub_agent = std::string(call.sub_agent)});
  last_ = state;
  return state;
}

void Session::finish_call(State& state, const CallEnd& result) {
  state.answered = true;
  state.refused = state.refused || result.refused;
  if (result.exit_code) state.exit_code = result.exit_code;
  // What was known to fail stays so; of the rest the last word counts.
  if (result.outcome != Outcome::unknown && state.outcome != Outcome::failure)
    state.outcome = result.outcome;
  if (!state.begun) return;
  if (state.number == last_.number) last_ = state;
  if (!keep_calls_) return;
  Call& call = execution_.calls[state.number];
  call.outcome = state.refused ? Outcome::unknown : state.outcome;
  call.answered = true;
  call.refused = state.refused;
  call.exit_code = state.exit_code;
  if (result.time) call.end = result.time;
  if (!result.error.empty() && (state.refused || state.outcome == Outcome::failure))
    call.error = cut(result.error);
}

void Session::begin(const CallStart& call) {
  if (call.id.empty()) return begin_unnamed(call);
  const auto [at, is_new] = calls_.try_emplace(hash(call.id));
  if (at->second.begun) return;    // told again
  const State early = at->second;  // the result may have come before
  at->second = start(call);
  if (!is_new && early.answered)
    finish_call(at->second, {.outcome = early.outcome,
                             .exit_code = early.exit_code,
                             .error = early_errors_[at->first],
                             .refused = early.refused});
}

void Session::end(std::string_view id, const CallEnd& result) {
  used_ = true;
  if (id.empty()) return end_open(open_.begin(), result);
  const std::uint64_t key = hash(id);
  State& state = calls_[key];
  if (keep_calls_ && !state.begun) early_errors_[key] = cut(result.error);
  finish_call(state, result);
}

bool Session::has_begun(std::string_view id) const {
  const auto found = calls_.find(hash(id));
  return found != calls_.end() && found->second.begun;
}

void Session::done(const CallStart& call, const CallEnd& result) {
  State state = start(call);
  finish_call(state, result);
  count(state);
}

void Session::called(std::string_view tool) {
  const std::uint64_t key = hash(tool);
  if (std::find(tools_.begin(), tools_.end(), key) != tools_.end()) return;
  if (tools_.size() < kMostTools) tools_.push_back(key);
  execution_.writes_files = execution_.writes_files || writes_files(tool);
}

CallTally Session::new_tally() const {
  CallTally out;
  out.last_failed = last_.outcome == Outcome::failure && !last_.refused;
  out.last_key = last_.key;
  return out;
}

void Session::done(const CallTally& calls) {
  if (calls.calls == 0) return;
  used_ = true;
  if (calls.timed) {
    seen(calls.first);
    seen(calls.latest);
  }
  execution_.tool_calls += calls.calls;
  execution_.succeeded += calls.succeeded;
  execution_.failed += calls.failed;
  execution_.unknown += calls.calls - calls.succeeded - calls.failed;
  execution_.repeats += calls.repeats;
  begun_ += calls.calls;
  last_ = {};
  last_.number = begun_ - 1;
  last_.key = calls.last_key;
  last_.outcome = calls.last_failed ? Outcome::failure : Outcome::success;
  last_.begun = last_.answered = true;
}

void Session::begin_unnamed(const CallStart& call) {
  const State state = start(call);
  open_.emplace(state.number, state);
  open_keys_[state.key].push_back(state.number);
  open_tools_[state.tool].push_back(state.number);
}

std::map<std::uint32_t, Session::State>::iterator Session::oldest_open(
    std::deque<std::uint32_t>& numbers) {
  for (; !numbers.empty(); numbers.pop_front())
    if (const auto found = open_.find(numbers.front()); found != open_.end()) return found;
  return open_.end();
}

void Session::end_unnamed(const CallStart& call, const CallEnd& result) {
  const std::uint64_t tool = hash(call.name);
  auto found = oldest_open(open_keys_[call_key(call.name, call.input_hash)]);
  if (found == open_.end()) found = oldest_open(open_tools_[tool]);
  if (found == open_.end()) return done(call, result);
  end_open(found, result);
}

void Session::end_open(std::map<std::uint32_t, State>::iterator call, const CallEnd& result) {
  if (call == open_.end()) {
    execution_.orphan_results++;
    return;
  }
  finish_call(call->second, result);
  count(call->second);
  open_.erase(call);
}

void Session::fail_open_calls(bool last_may_run) {
  const auto fail = [&](State& state) {
    if (last_may_run && state.number + 1 == begun_) return;
    state.outcome = Outcome::failure;
    if (keep_calls_) execution_.calls[state.number].outcome = Outcome::failure;
  };
  for (auto& [number, state] : open_) fail(state);
  for (auto& [id, state] : calls_)
    if (state.begun && !state.answered) fail(state);
}

void Session::count(const State& state) {
  if (!state.begun) {
    execution_.orphan_results++;
    return;
  }
  execution_.tool_calls++;
  if (!state.answered) execution_.unanswered++;
  if (state.refused) {
    execution_.refused++;
    execution_.corrections++;
  } else if (state.outcome == Outcome::success) {
    execution_.succeeded++;
  } else if (state.outcome == Outcome::failure) {
    execution_.failed++;
  } else {
    execution_.unknown++;
  }
}

void Session::corrected(std::optional<Time> time) {
  used_ = true;
  if (time && corrected_ && *time <= *corrected_) return;
  if (time) corrected_ = time;
  execution_.corrections++;
}

void Session::api_retried() {
  used_ = true;
  execution_.api_retries++;
}

std::size_t Session::model_index(std::string_view model) {
  const auto found = std::find(models_.begin(), models_.end(), model);
  if (found != models_.end()) return static_cast<std::size_t>(found - models_.begin());
  models_.emplace_back(model);
  return models_.size() - 1;
}

void Session::spent(std::string_view message, std::string_view model, const Tokens& tokens) {
  used_ = true;
  const Spent spent{model_index(model), tokens};
  if (!message.empty()) {
    const auto [at, is_new] = messages_.try_emplace(hash(message), spent_.size());
    if (!is_new) {
      spent_[at->second] = spent;
      return;
    }
  }
  spent_.push_back(spent);
}

void Session::counted(std::string_view model, const Tokens& total) {
  const Tokens before = counter_.value_or(Tokens{});
  counter_ = total;
  if (total == before) return;
  const auto growth = [](std::int64_t now, std::int64_t then) {
    return std::max<std::int64_t>(0, now - then);
  };
  if (total.input + total.output < before.input + before.output) falls_++;
  const Tokens grown{.input = growth(total.input, before.input),
                     .output = growth(total.output, before.output),
                     .cache_read = growth(total.cache_read, before.cache_read),
                     .cache_write = growth(total.cache_write, before.cache_write),
                     .cache_in_input = total.cache_in_input};
  if (grown.any()) spent({}, model, grown);
}

void Session::cost(double dollars) {
  constexpr double kMost = 1e9;
  const bool can_be = dollars >= 0 && dollars < kMost;
  if (!can_be) return;
  used_ = true;
  execution_.cost = dollars;
  execution_.cost_is_stated = true;
}

void Session::add_cost(double dollars) { cost(execution_.cost.value_or(0) + dollars); }

void Session::modelled(std::string_view model) {
  if (!model.empty()) model_ = model_index(model);
}

std::string_view Session::model() const { return model_ ? models_[*model_] : std::string_view(); }

void Session::ended(std::optional<bool> in_error) {
  used_ = true;
  execution_.ended_in_error = in_error;
}

void Session::answered(std::string_view text) {
  if (text.empty()) return;
  used_ = true;
  execution_.output = text;
  if (!asked_.empty()) execution_.prompt = std::exchange(asked_, {});
}

void Session::asked(std::string_view text) {
  if (!aside_ && !base::trim(text).empty()) asked_ = cut_middle(text);
}

void Session::tasked(std::string_view text) {
  if (!base::trim(text).empty()) task_ = cut_middle(text);
}

void Session::noted(std::string note) { execution_.notes.push_back(std::move(note)); }

std::optional<double> Session::price_of_tokens(const Prices& prices) {
  double total = 0;
  std::vector<const price::Price*> by_model;
  for (const auto& model : models_) by_model.push_back(prices.find(model));
  for (const auto& spent : spent_) {
    if (!spent.tokens.any()) continue;
    if (!by_model[spent.model]) {
      const std::string& model = models_[spent.model];
      noted(model.empty() ? std::string("no cost: the log does not name the model")
                          : fmt::format("no cost: the price of `{}` is not known", model));
      return std::nullopt;
    }
    const price::Cost cost = price::cost(*by_model[spent.model], to_counts(spent.tokens));
    total += cost.input + cost.output;
  }
  return total;
}

void Session::find_times() {
  execution_.started = first_;
  execution_.ended = latest_;
  if (first_ && *latest_ != *first_) execution_.duration = seconds(*latest_ - *first_);
  if (turn_begin_ && turn_end_) active_ += std::max<Time>(0, *turn_end_ - *turn_begin_);
  execution_.active = worked_                             ? worked_
                      : execution_.duration && has_turns_ ? std::optional(seconds(active_))
                                                          : execution_.duration;
}

void Session::add_notes() {
  const auto note = [&](std::int64_t count, std::string_view one, std::string_view many) {
    if (count > 0) execution_.notes.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  note(execution_.unanswered, "call has no result", "calls have no result");
  note(execution_.orphan_results, "result belongs to no call: the log may begin in the middle",
       "results belong to no call: the log may begin in the middle");
  note(falls_, "time the token counter fell back; its growth was added up",
       "times the token counter fell back; its growth was added up");
}

Execution Session::finish(const Prices& prices) {
  for (const auto& [id, state] : calls_) count(state);
  for (const auto& [number, state] : open_) count(state);
  std::map<std::size_t, std::size_t> by_model;
  for (const auto& spent : spent_) {
    if (!execution_.tokens) execution_.tokens.emplace();
    execution_.tokens->add(spent.tokens);
    if (!models_[spent.model].empty()) by_model[spent.model]++;
  }
  if (by_model.empty() && model_) by_model[*model_] = 1;
  if (execution_.model.empty() && !by_model.empty())
    execution_.model =
        models_[std::max_element(by_model.begin(), by_model.end(),
                                 [](const auto& a, const auto& b) { return a.second < b.second; })
                    ->first];
  if (!execution_.cost && execution_.tokens) execution_.cost = price_of_tokens(prices);
  find_times();
  add_notes();
  // What came after the final answer was asked for something else.
  if (!task_.empty())
    execution_.prompt = std::move(task_);
  else if (execution_.output.empty())
    execution_.prompt = std::move(asked_);
  execution_.structure = structure_of(execution_.output);
  return std::move(execution_);
}

}  // namespace vibe::trace
