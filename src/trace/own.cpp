#include "trace/own.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/time.h"

namespace vibe::trace {

namespace {

// Figures that are always known: their name and place, for writing and for reading.
struct CountRow {
  std::string_view name;
  std::int64_t Execution::* count;
};
constexpr std::array kCounts{
    CountRow{"tool_calls", &Execution::tool_calls},
    CountRow{"successful_calls", &Execution::succeeded},
    CountRow{"failed_calls", &Execution::failed},
    CountRow{"refused_calls", &Execution::refused},
    CountRow{"unknown_calls", &Execution::unknown},
    CountRow{"unanswered_calls", &Execution::unanswered},
    CountRow{"orphan_results", &Execution::orphan_results},
    CountRow{"repeats", &Execution::repeats},
    CountRow{"api_retries", &Execution::api_retries},
    CountRow{"corrections", &Execution::corrections},
    CountRow{"other_errors", &Execution::other_errors},
};

struct TextRow {
  std::string_view name;
  std::string Execution::* text;
};
constexpr std::array kTexts{
    TextRow{"id", &Execution::id},
    TextRow{"file", &Execution::file},
    TextRow{"format", &Execution::format},
    TextRow{"agent", &Execution::agent},
    TextRow{"model", &Execution::model},
    TextRow{"task_type", &Execution::task_type},
    TextRow{"complexity", &Execution::complexity},
};

void write_time(base::JsonWriter& json, std::string_view key, std::optional<Time> time) {
  json.key(key);
  time ? json.string(base::iso_micros(*time)) : json.null();
}

void write_call(base::JsonWriter& json, const Call& call) {
  json.begin_object();
  json.key("name").string(call.name);
  json.key("id").known(call.id);
  json.key("outcome").string(to_string(call.outcome));
  json.key("answered").boolean(call.answered);
  json.key("refused").boolean(call.refused);
  json.key("exit_code").known(call.exit_code);
  write_time(json, "start", call.start);
  write_time(json, "end", call.end);
  json.key("sub_agent").known(call.sub_agent);
  json.key("input").known(call.input);
  json.key("error").known(call.error);
  json.end_object();
}

Outcome outcome_named(std::string_view text) {
  for (const Outcome outcome : {Outcome::success, Outcome::failure})
    if (text == to_string(outcome)) return outcome;
  return Outcome::unknown;
}

Call call_of(Json json) {
  return {.name = std::string(json.text_of("name")),
          .id = std::string(json.text_of("id")),
          .input = std::string(json.text_of("input")),
          .outcome = outcome_named(json.text_of("outcome")),
          .answered = json.is_true("answered"),
          .refused = json.is_true("refused"),
          .exit_code = json["exit_code"].integer(),
          .error = std::string(json.text_of("error")),
          .start = time_of(json["start"]),
          .end = time_of(json["end"]),
          .sub_agent = std::string(json.text_of("sub_agent"))};
}

constexpr double kMostSeconds = 1e12, kMostCost = 1e15;

// Absent where it cannot be true.
std::optional<double> sane(Json json, double most) {
  const auto number = json.number();
  return number && *number >= 0 && *number < most ? number : std::nullopt;
}

bool is_count(Json json) { return json.integer().value_or(-1) >= 0; }

Execution execution_of(Json json, bool keep_calls) {
  Execution out;
  for (const auto& row : kTexts) out.*row.text = json.text_of(row.name);
  for (const auto& row : kCounts) out.*row.count = json.count_of(row.name);
  out.writes_files = json.is_true("writes_files");
  out.started = time_of(json["started"]);
  out.ended = time_of(json["ended"]);
  out.duration = sane(json["duration_seconds"], kMostSeconds);
  out.active = sane(json["active_seconds"], kMostSeconds);
  if (is_count(json["input_tokens"]))
    out.tokens = Tokens{.input = json.count_of("input_tokens"),
                        .output = json.count_of("output_tokens"),
                        .cache_read = json.count_of("cache_read_tokens"),
                        .cache_write = json.count_of("cache_write_tokens"),
                        .cache_in_input = json.is_true("cache_in_input")};
  out.cost = sane(json["cost"], kMostCost);
  out.cost_is_stated = json.is_true("cost_is_stated");
  out.output = json.text_of("output");
  out.prompt = json.text_of("prompt");
  out.structure = {.headers = json.is_true("has_headers"),
                   .lists = json.is_true("has_lists"),
                   .code_blocks = json.is_true("has_code_blocks")};
  out.ended_in_error = json["ended_in_error"].boolean();
  out.bad_lines = static_cast<std::uint64_t>(json.count_of("bad_lines"));
  json["notes"].each([&](Json note) { out.notes.emplace_back(note.text().value_or("")); });
  if (keep_calls) json["calls"].each([&](Json call) { out.calls.push_back(call_of(call)); });
  return out;
}

}  // namespace

void write_figures(base::JsonWriter& json, const Execution& execution) {
  for (const auto& row : kTexts) json.key(row.name).known(execution.*row.text);
  for (const auto& row : kCounts) {
    if (row.count == &Execution::corrections)
      json.key("retries").integer(execution.repeats + execution.api_retries);
    json.key(row.name).integer(execution.*row.count);
  }
  json.key("writes_files").boolean(execution.writes_files);
  write_time(json, "started", execution.started);
  write_time(json, "ended", execution.ended);
  json.key("duration_seconds").known(execution.duration);
  json.key("active_seconds").known(execution.active);
  const auto tokens = [&](std::string_view key, std::int64_t Tokens::* count) {
    json.key(key);
    execution.tokens ? json.integer(*execution.tokens.*count) : json.null();
  };
  tokens("input_tokens", &Tokens::input);
  tokens("output_tokens", &Tokens::output);
  tokens("cache_read_tokens", &Tokens::cache_read);
  tokens("cache_write_tokens", &Tokens::cache_write);
  json.key("cache_in_input").boolean(execution.tokens && execution.tokens->cache_in_input);
  json.key("cost").known(execution.cost);
  json.key("cost_is_stated").boolean(execution.cost_is_stated);
  json.key("bad_lines").integer(static_cast<std::int64_t>(execution.bad_lines));
  json.key("has_headers").boolean(execution.structure.headers);
  json.key("has_lists").boolean(execution.structure.lists);
  json.key("has_code_blocks").boolean(execution.structure.code_blocks);
  json.key("ended_in_error").known(execution.ended_in_error);
  json.key("output").known(execution.output);
  json.key("prompt").known(execution.prompt);
}

Execution read_figures(const base::JsonValue& json) {
  const auto boolean = [&](std::string_view key) {
    const base::JsonValue* value = json.find(key);
    return value ? value->boolean() : std::nullopt;
  };
  const auto is_true = [&](std::string_view key) { return boolean(key) == true; };
  const auto count = [&](std::string_view key) { return json.integer_of(key).value_or(0); };
  const auto time = [&](std::string_view key) { return base::parse_micros(json.text_of(key)); };
  Execution out;
  for (const auto& row : kTexts) out.*row.text = json.text_of(row.name);
  for (const auto& row : kCounts) out.*row.count = count(row.name);
  out.writes_files = is_true("writes_files");
  out.started = time("started");
  out.ended = time("ended");
  out.duration = json.number_of("duration_seconds");
  out.active = json.number_of("active_seconds");
  if (json.integer_of("input_tokens"))
    out.tokens = Tokens{.input = count("input_tokens"),
                        .output = count("output_tokens"),
                        .cache_read = count("cache_read_tokens"),
                        .cache_write = count("cache_write_tokens"),
                        .cache_in_input = is_true("cache_in_input")};
  out.cost = json.number_of("cost");
  out.cost_is_stated = is_true("cost_is_stated");
  out.bad_lines = static_cast<std::uint64_t>(count("bad_lines"));
  out.structure = {.headers = is_true("has_headers"),
                   .lists = is_true("has_lists"),
                   .code_blocks = is_true("has_code_blocks")};
  out.ended_in_error = boolean("ended_in_error");
  out.output = json.text_of("output");
  out.prompt = json.text_of("prompt");
  return out;
}

void write_json(base::JsonWriter& json, const Execution& execution, bool with_calls) {
  json.begin_object();
  write_figures(json, execution);
  json.key("notes").begin_array();
  for (const auto& note : execution.notes) json.string(note);
  json.end_array();
  if (with_calls) {
    json.key("calls").begin_array();
    for (const auto& call : execution.calls) write_call(json, call);
    json.end_array();
  }
  json.end_object();
}

bool is_own(const Shape& shape) {
  return shape.has("format") && shape.has("tool_calls") && shape.has("failed_calls") &&
         shape.has("corrections");
}

void read_own(base::Input input, Reading& reading) {
  Values values(input);
  BadLines bad;  // those that hold something else
  for (Json value = values.next(); value.there() && !reading.is_full(); value = values.next()) {
    if (is_count(value["tool_calls"]))
      reading.add(execution_of(value, reading.options().keep_calls));
    else
      bad.add(values.line());
  }
  bad.count += values.bad_lines().count;
  const auto& broken = values.bad_lines().first;
  bad.first.insert(bad.first.end(), broken.begin(), broken.end());
  std::sort(bad.first.begin(), bad.first.end());
  reading.add_bad(bad);
  if (values.failure()) reading.add_problem(*values.failure());
}

std::span<const Field> own_fields() {
  static constexpr std::array kFields{
      Field{"all", "what `vibe fitness show --jsonl` prints; with `--calls` every call too"},
  };
  return kFields;
}

}  // namespace vibe::trace
