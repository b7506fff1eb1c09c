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
  const auto same = [](char a, char b) { return base::lower_ascii(a) == b; };
  return std::any_of(kWriters.begin(), kWriters.end(), [&](std::string_view writer) {
    return tool.size() == writer.size() &&
           std::equal(tool.begin(), tool.end(), writer.begin(), same);
  });
}

std::uint64_t hash(std::string_view text) { return std::hash<std::string_view>{}(text); }

// The last position at or before `at` where the text can be cut.
std::size_t cut_before(std::string_view text, std::size_t at) {
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

std::string cut(std::string_view text) {
  if (text.size() <= kMostShown) return std::string(text);
  return std::string(text.substr(0, cut_before(text, kMostShown))) + "…";
}

// Keeps the end as well, because prompts often state the wanted form of the answer there.
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

Session::NamedCalls& Session::named() {
  if (!named_) named_ = std::make_unique<NamedCalls>();
  return *named_;
}

Session::UnnamedCalls& Session::unnamed() {
  if (!unnamed_) unnamed_ = std::make_unique<UnnamedCalls>();
  return *unnamed_;
}

Session::Usage& Session::usage() {
  if (!usage_) usage_ = std::make_unique<Usage>();
  return *usage_;
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
  const bool told_before = has_turns_ && time && *time <= *turn_begin_;  // replayed history
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
  // A known failure stays; otherwise the last outcome counts.
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
  const auto [at, is_new] = named().all.try_emplace(hash(call.id));
  if (at->second.begun) return;    // logged again
  const State early = at->second;  // the result may have come before
  at->second = start(call);
  if (!is_new && early.answered)
    finish_call(at->second, {.outcome = early.outcome,
                             .exit_code = early.exit_code,
                             .error = named_->early_errors[at->first],
                             .refused = early.refused});
}

void Session::end(std::string_view id, const CallEnd& result) {
  used_ = true;
  if (id.empty()) {
    const bool any = unnamed_ && !unnamed_->open.empty();
    return end_open(any ? &unnamed_->open.begin()->second : nullptr, result);
  }
  const std::uint64_t key = hash(id);
  State& state = named().all[key];
  if (keep_calls_ && !state.begun) named_->early_errors[key] = cut(result.error);
  finish_call(state, result);
}

bool Session::has_begun(std::string_view id) const {
  if (!named_) return false;
  const auto found = named_->all.find(hash(id));
  return found != named_->all.end() && found->second.begun;
}

void Session::done(const CallStart& call, const CallEnd& result) {
  State state = start(call);
  finish_call(state, result);
  count(state);
}

void Session::called(std::string_view tool) {
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
  UnnamedCalls& calls = unnamed();
  calls.open.emplace(state.number, state);
  calls.keys[state.key].all.push_back(state.number);
  calls.tools[state.tool].all.push_back(state.number);
}

Session::State* Session::oldest_open(ByKey& by, std::uint64_t key) {
  const auto at = by.find(key);
  if (at == by.end()) return nullptr;
  Numbers& numbers = at->second;
  for (; numbers.first < numbers.all.size(); ++numbers.first) {
    const auto found = unnamed_->open.find(numbers.all[numbers.first]);
    if (found != unnamed_->open.end()) return &found->second;
  }
  by.erase(at);
  return nullptr;
}

void Session::end_unnamed(const CallStart& call, const CallEnd& result) {
  State* found = nullptr;
  if (unnamed_) found = oldest_open(unnamed_->keys, call_key(call.name, call.input_hash));
  if (unnamed_ && !found) found = oldest_open(unnamed_->tools, hash(call.name));
  if (!found) return done(call, result);
  end_open(found, result);
}

void Session::end_open(State* call, const CallEnd& result) {
  if (!call) {
    execution_.orphan_results++;
    return;
  }
  finish_call(*call, result);
  count(*call);
  const std::uint32_t number = call->number;
  unnamed_->open.erase(number);
}

void Session::fail_open_calls(bool last_may_run) {
  const auto fail = [&](State& state) {
    if (last_may_run && state.number + 1 == begun_) return;
    state.outcome = Outcome::failure;
    if (keep_calls_) execution_.calls[state.number].outcome = Outcome::failure;
  };
  if (unnamed_)
    for (auto& [number, state] : unnamed_->open) fail(state);
  if (named_)
    for (auto& [id, state] : named_->all)
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
  Usage& all = usage();
  model = shortened_name(model);
  if (const auto found = all.by_name.find(model); found != all.by_name.end()) return found->second;
  const auto at = all.by_name.emplace(model, all.models.size()).first;
  all.models.push_back(&at->first);
  return at->second;
}

void Session::spent(std::string_view message, std::string_view model, const Tokens& tokens) {
  used_ = true;
  const Spent spent{model_index(model), tokens};
  Usage& all = usage();
  if (!message.empty()) {
    const auto [at, is_new] = all.messages.try_emplace(hash(message), all.spent.size());
    if (!is_new) {
      all.spent[at->second] = spent;
      return;
    }
  }
  all.spent.push_back(spent);
}

void Session::counted(std::string_view model, const Tokens& total) {
  const Tokens before = usage().counter.value_or(Tokens{});
  usage_->counter = total;
  if (total == before) return;
  const auto growth = [](std::int64_t now, std::int64_t then) {
    return std::max<std::int64_t>(0, now - then);
  };
  if (total.input + total.output < before.input + before.output) usage_->falls++;
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
  if (model.empty()) return;
  const std::size_t index = model_index(model);
  usage_->model = index;
}

std::string_view Session::model() const {
  return usage_ && usage_->model ? std::string_view(*usage_->models[*usage_->model])
                                 : std::string_view();
}

void Session::ended(std::optional<bool> in_error) {
  used_ = true;
  execution_.ended_in_error = in_error;
}

void Session::answered(std::string_view text, std::string_view message) {
  if (text.empty()) return;
  used_ = true;
  constexpr std::string_view kBetween = "\n\n";
  std::string& answer = execution_.output;
  const std::uint64_t id = message.empty() ? 0 : hash(message);
  if (id != 0 && id == answer_message_) {
    if (!is_answer_cut_) answer += kBetween;
  } else {
    answer.clear();
    is_answer_cut_ = false;
  }
  answer_message_ = id;
  if (!is_answer_cut_ && answer.size() + text.size() > kMostAnswer) {
    const std::size_t room = kMostAnswer - std::min(kMostAnswer, answer.size());
    text = text.substr(0, cut_before(text, room));
    answer += text;
    answer.resize(std::min(answer.size(), kMostAnswer));
    is_answer_cut_ = true;
  } else if (!is_answer_cut_) {
    answer += text;
  }
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
  std::vector<const price::Price*> by_model(usage_->models.size());
  for (const auto& spent : usage_->spent) {
    if (!spent.tokens.any()) continue;
    const std::string& model = *usage_->models[spent.model];
    if (!by_model[spent.model]) by_model[spent.model] = prices.find(model);
    if (!by_model[spent.model]) {
      noted(model.empty() ? std::string("no cost: the log does not name the model")
                          : fmt::format("no cost: the price of `{}` is unknown", model));
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
  note(execution_.orphan_results, "result without a call: the log may begin in the middle",
       "results without a call: the log may begin in the middle");
  note(usage_ ? usage_->falls : 0, "time the token counter was reset; its increases were added up",
       "times the token counter was reset; its increases were added up");
  if (is_answer_cut_)
    execution_.notes.push_back(fmt::format(
        "the final answer is longer than {} MiB; only its beginning was read", kMostAnswer >> 20));
}

void Session::add_usage() {
  std::map<std::size_t, std::size_t> by_model;
  for (const auto& spent : usage_->spent) {
    if (!execution_.tokens) execution_.tokens.emplace();
    execution_.tokens->add(spent.tokens);
    if (!usage_->models[spent.model]->empty()) by_model[spent.model]++;
  }
  if (by_model.empty() && usage_->model) by_model[*usage_->model] = 1;
  if (!execution_.model.empty() || by_model.empty()) return;
  const auto most =
      std::max_element(by_model.begin(), by_model.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  execution_.model = *usage_->models[most->first];
}

Execution Session::finish(const Prices& prices) {
  if (named_)
    for (const auto& [id, state] : named_->all) count(state);
  if (unnamed_)
    for (const auto& [number, state] : unnamed_->open) count(state);
  if (usage_) add_usage();
  if (!execution_.cost && execution_.tokens) execution_.cost = price_of_tokens(prices);
  find_times();
  add_notes();
  // Later prompts belong to other answers.
  if (!task_.empty())
    execution_.prompt = std::move(task_);
  else if (execution_.output.empty())
    execution_.prompt = std::move(asked_);
  return std::move(execution_);
}

}  // namespace vibe::trace
