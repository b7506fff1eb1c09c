#include "trace/hook/event.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include <simdjson.h>

#include "base/text.h"
#include "base/time.h"
#include "trace/format.h"
#include "trace/hook/layout.h"
#include "trace/json.h"

namespace vibe::trace {

namespace ondemand = simdjson::ondemand;

namespace {

// The relevant members, as raw JSON: texts include their quotes.
struct Members {
  std::string_view ts, timestamp, tool, tool_name, exit, exit_code, session, session_id, id,
      tool_use_id, related_event, hook_event_name, event_type, phase, type, event, status, command,
      input, tool_input, output, output_preview, response, tool_response, error, is_interrupt,
      duration_ms, task_type, complexity, task_complexity, last_assistant_message, data, prompt;
};

using Member = std::string_view Members::*;

struct Row {
  std::string_view name;
  Member member;
};
constexpr std::array kRows{
    Row{"command", &Members::command},
    Row{"complexity", &Members::complexity},
    Row{"data", &Members::data},
    Row{"duration_ms", &Members::duration_ms},
    Row{"error", &Members::error},
    Row{"event", &Members::event},
    Row{"event_type", &Members::event_type},
    Row{"exit", &Members::exit},
    Row{"exit_code", &Members::exit_code},
    Row{"hook_event_name", &Members::hook_event_name},
    Row{"id", &Members::id},
    Row{"input", &Members::input},
    Row{"is_interrupt", &Members::is_interrupt},
    Row{"last_assistant_message", &Members::last_assistant_message},
    Row{"output", &Members::output},
    Row{"output_preview", &Members::output_preview},
    Row{"phase", &Members::phase},
    Row{"prompt", &Members::prompt},
    Row{"related_event", &Members::related_event},
    Row{"response", &Members::response},
    Row{"session", &Members::session},
    Row{"session_id", &Members::session_id},
    Row{"status", &Members::status},
    Row{"task_complexity", &Members::task_complexity},
    Row{"task_type", &Members::task_type},
    Row{"timestamp", &Members::timestamp},
    Row{"tool", &Members::tool},
    Row{"tool_input", &Members::tool_input},
    Row{"tool_name", &Members::tool_name},
    Row{"tool_response", &Members::tool_response},
    Row{"tool_use_id", &Members::tool_use_id},
    Row{"ts", &Members::ts},
    Row{"type", &Members::type},
};

constexpr bool by_name(const Row& a, const Row& b) { return a.name < b.name; }
static_assert(std::is_sorted(kRows.begin(), kRows.end(), by_name), "keep rows sorted by name");

const Row* find_row(std::string_view name) {
  const auto found = std::lower_bound(kRows.begin(), kRows.end(), Row{name, nullptr}, by_name);
  return found != kRows.end() && found->name == name ? &*found : nullptr;
}

std::string_view first_of(std::initializer_list<std::string_view> values) {
  for (const std::string_view value : values)
    if (!value.empty() && value != "null" && value != "\"\"") return value;
  return {};
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  if (const auto number = base::parse_integer(text)) return number;
  const auto number = base::parse_double(text);  // `1.0`
  if (!number || std::abs(*number) > 1e9 || std::trunc(*number) != *number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

bool is_quoted(std::string_view raw) { return raw.size() >= 2 && raw.front() == '"'; }
std::string_view inside(std::string_view raw) {
  return is_quoted(raw) ? raw.substr(1, raw.size() - 2) : raw;
}

// Whether a text, with its escapes, is only white space.
bool is_blank_text(std::string_view escaped) {
  for (std::size_t at = 0; at < escaped.size(); ++at) {
    const bool escape = escaped[at] == '\\' && at + 1 < escaped.size();
    if (escape && std::string_view("ntr").find(escaped[at + 1]) != std::string_view::npos)
      ++at;
    else if (escaped[at] != ' ')
      return false;
  }
  return true;
}

// Which column of a line has which value, for lines that describe one call and nothing else.
struct CallColumns {
  static constexpr std::size_t kNone = HookLayout::kMostValues;
  std::size_t time = kNone, tool = kNone, exit = kNone, session = kNone, input = kNone,
              output = kNone;
};

// None if the members describe more than a call.
std::optional<CallColumns> call_columns(const std::vector<Member>& members) {
  struct Place {
    Member member;
    std::size_t CallColumns::* place;
  };
  constexpr std::array kPlaces{Place{&Members::ts, &CallColumns::time},
                               Place{&Members::timestamp, &CallColumns::time},
                               Place{&Members::tool, &CallColumns::tool},
                               Place{&Members::tool_name, &CallColumns::tool},
                               Place{&Members::exit, &CallColumns::exit},
                               Place{&Members::exit_code, &CallColumns::exit},
                               Place{&Members::session, &CallColumns::session},
                               Place{&Members::session_id, &CallColumns::session},
                               Place{&Members::command, &CallColumns::input},
                               Place{&Members::output, &CallColumns::output},
                               Place{&Members::output_preview, &CallColumns::output}};
  CallColumns out;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto member = members[i];
    if (!member || member == &Members::duration_ms || member == &Members::id) continue;
    const auto row = std::find_if(kPlaces.begin(), kPlaces.end(),
                                  [&](const Place& one) { return one.member == member; });
    if (row == kPlaces.end() || out.*row->place != CallColumns::kNone) return std::nullopt;
    out.*row->place = i;
  }
  if (out.tool == CallColumns::kNone) return std::nullopt;
  return out;
}

// The layout of lines that were parsed.
struct Learned {
  HookLayout layout;
  std::vector<Member> members;  // one for each key; null: not relevant
  std::optional<CallColumns> columns;
};

}  // namespace

struct HookParser::Memory {
  const ErrorPatterns& errors;
  ondemand::parser parser;
  JsonParser values;
  std::deque<std::string> texts;
  std::deque<HookEvent::More> more;
  std::string scratch;  // the last decoded output
  bool keep_texts;
  std::string day;  // `2026-11-16T`, from the previous time stamp
  Time midnight = 0;

  static constexpr std::size_t kMostKnown = 4, kMostLearned = 64;
  std::vector<Learned> known;  // the most recently matched first
  std::size_t learned = 0;

  Memory(const ErrorPatterns& patterns, bool texts_too) : errors(patterns), keep_texts(texts_too) {}

  // Text with its escapes decoded; other values as raw JSON.
  std::string_view text(std::string_view raw) {
    if (!is_quoted(raw) || raw.find('\\') == std::string_view::npos) return inside(raw);
    return decoded(raw, texts.emplace_back());
  }
  std::string_view decoded(std::string_view raw, std::string& to);

  std::size_t read_call_line(std::string_view lines, HookEvent& event, TextMarks& marks);
  bool split(std::string_view line, TextMarks& marks, Members& members);
  void learn(std::string_view line);
  std::optional<Time> time(std::string_view text);

  bool read_members(std::string_view line, Members& members);
  HookEvent::More& more_of(HookEvent& event) {
    if (!event.more) event.more = &more.emplace_back();
    return more.back();
  }
  void read_time(const Members& members, HookEvent& event);
  void read_kind(const Members& members, HookEvent& event);
  void read_task(const Members& members, HookEvent& event);
  void read_id(const Members& members, HookEvent& event);
  void read_outcome(const Members& members, HookEvent& event);
  void keep_error(HookEvent& event, std::string_view raw);
  bool read_response(std::string_view raw, HookEvent& event);
  void read_output(std::string_view raw, HookEvent& event);
};

// For a text with escapes, in a line that the parser has read or that has the same layout.
std::string_view HookParser::Memory::decoded(std::string_view raw, std::string& to) {
  if (to.size() < raw.size() + kPadding) to.resize(raw.size() + kPadding);
  auto* end = reinterpret_cast<std::uint8_t*>(to.data());
  std::string_view out;
  const auto* begin = reinterpret_cast<const std::uint8_t*>(raw.data() + 1);
  if (parser.unescape(ondemand::raw_json_string(begin), end).get(out) == simdjson::SUCCESS)
    return out;
  to = values.parse(raw).text().value_or("");  // which also repairs it
  return to;
}

// Gives the same event as the general way, for a one-call line with the same layout as the line
// before.
std::size_t HookParser::Memory::read_call_line(std::string_view lines, HookEvent& event,
                                               TextMarks& marks) {
  if (known.empty() || !known[0].columns || keep_texts) return 0;
  HookLayout::Values found;
  const std::size_t length = known[0].layout.split(lines, marks, found);
  if (length == 0) return 0;
  const CallColumns& column = *known[0].columns;
  const auto value = [&](std::size_t at) {
    if (at == CallColumns::kNone || found[at][0] == 'n') return std::string_view();  // `null`
    return marks.has_backslash(found[at]) ? text(found[at]) : inside(found[at]);
  };
  event.tool = value(column.tool);
  if (event.tool.empty()) return 0;
  event.session = value(column.session);
  event.session_hash = std::hash<std::string_view>{}(event.session);
  event.kind = HookEvent::Kind::call;
  if (const std::string_view when = value(column.time); !when.empty()) {
    event.time = time(when);
    event.bad_time = !event.time;
  }
  if (column.input != CallColumns::kNone) event.input = first_of({found[column.input]});
  const std::string_view code = value(column.exit);
  if (code.size() == 1 && code[0] >= '0' && code[0] <= '9')
    event.exit_code = code[0] - '0';
  else if (!code.empty())
    event.exit_code = whole_number(base::trim(code));
  if (event.exit_code) {
    event.outcome = *event.exit_code == 0 ? Outcome::success : Outcome::failure;
    return length;
  }
  if (column.output == CallColumns::kNone) return length;
  const std::string_view output = first_of({found[column.output]});
  if (!read_response(output, event)) read_output(output, event);
  return length;
}

bool HookParser::Memory::split(std::string_view line, TextMarks& marks, Members& members) {
  HookLayout::Values found;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i].layout.split(line, marks, found) != line.size()) continue;
    if (i > 0) std::swap(known[0], known[i]);
    for (std::size_t n = 0; n < known[0].members.size(); ++n)
      if (known[0].members[n]) members.*known[0].members[n] = found[n];
    return true;
  }
  return false;
}

void HookParser::Memory::learn(std::string_view line) {
  if (learned >= kMostLearned) return;
  Learned now;
  now.layout.learn(line);
  if (now.layout.keys().empty()) return;
  ++learned;
  for (const auto& key : now.layout.keys()) {
    const Row* row = find_row(key);
    now.members.push_back(row ? row->member : nullptr);
  }
  now.columns = call_columns(now.members);
  if (known.size() == kMostKnown) known.pop_back();
  known.insert(known.begin(), std::move(now));
}

// Most time stamps in a log have the same date, so that only the time of day has to be read.
std::optional<Time> HookParser::Memory::time(std::string_view text) {
  constexpr std::size_t kDay = 11, kClock = 8;
  const auto two = [&](std::size_t at) {
    const int tens = text[at] - '0', ones = text[at + 1] - '0';
    return tens < 0 || tens > 5 || ones < 0 || ones > 9 ? 100 : tens * 10 + ones;
  };
  if (!day.empty() && text.size() >= kDay + kClock + 1 && text.starts_with(day) &&
      text[kDay + 2] == ':' && text[kDay + 5] == ':' && text.back() == 'Z') {
    const int hours = two(kDay), minutes = two(kDay + 3), seconds = two(kDay + 6);
    Time micros = 0;
    bool sound = hours < 24 && minutes < 60 && seconds < 60;
    std::string_view rest = text.substr(kDay + kClock, text.size() - kDay - kClock - 1);
    if (!rest.empty()) {
      sound = sound && rest[0] == '.' && rest.size() > 1;
      Time scale = 100'000;
      for (const char c : rest.substr(1)) {
        sound = sound && c >= '0' && c <= '9';
        micros += (c - '0') * scale;
        scale /= 10;
      }
    }
    if (sound) return midnight + ((hours * 60LL + minutes) * 60 + seconds) * 1'000'000 + micros;
  }
  const auto found = time_of(text);
  if (found && text.size() > kDay && text[kDay - 1] == 'T') {
    const auto begin = base::parse_micros(text.substr(0, kDay - 1));
    if (begin) {
      day = text.substr(0, kDay);
      midnight = *begin;
    }
  }
  return found;
}

bool HookParser::Memory::read_members(std::string_view line, Members& members) {
  ondemand::document document;
  ondemand::object object;
  if (parser.iterate(simdjson::padded_string_view(line.data(), line.size(), line.size() + kPadding))
          .get(document) ||
      document.get_object().get(object))
    return false;
  for (auto result : object) {
    ondemand::field field;
    if (std::move(result).get(field)) return false;
    const char* key = field.key().raw();
    const char* key_end = key;
    while (*key_end != '"' && *key_end != '\\') ++key_end;
    std::string_view name(key, static_cast<std::size_t>(key_end - key));
    if (*key_end == '\\' && field.unescaped_key().get(name)) return false;
    const Row* row = find_row(name);
    if (!row) continue;
    std::string_view& member = members.*row->member;
    ondemand::value& value = field.value();
    ondemand::json_type type{};
    if (value.type().get(type)) return false;
    if (type == ondemand::json_type::object) {
      ondemand::object inner;
      if (value.get_object().get(inner) || inner.raw_json().get(member)) return false;
    } else if (type == ondemand::json_type::array) {
      ondemand::array inner;
      if (value.get_array().get(inner) || inner.raw_json().get(member)) return false;
    } else {
      member = base::trim(value.raw_json_token());
      if (type == ondemand::json_type::string && (member.size() < 2 || member.back() != '"'))
        return false;
    }
  }
  const char* rest = nullptr;
  return document.current_location().get(rest) != simdjson::SUCCESS;  // nothing follows
}

void HookParser::Memory::read_time(const Members& members, HookEvent& event) {
  const std::string_view raw = first_of({members.ts, members.timestamp});
  if (!raw.empty()) {
    event.time = time(text(raw));
    event.bad_time = !event.time;
  }
  if (!keep_texts || members.duration_ms.empty()) return;  // only needed for the times of calls
  constexpr double kMostMillis = 1e12;
  const auto millis = base::parse_double(inside(members.duration_ms));
  if (millis && *millis >= 0 && *millis <= kMostMillis) more_of(event).duration = *millis / 1e3;
}

void HookParser::Memory::read_kind(const Members& members, HookEvent& event) {
  using Kind = HookEvent::Kind;
  const bool has_tool = !event.tool.empty();
  if (!members.hook_event_name.empty()) {
    const std::string_view name = inside(members.hook_event_name);
    event.kind = name == "PreToolUse"                                    ? Kind::begin
                 : name == "PostToolUse" || name == "PostToolUseFailure" ? Kind::end
                 : name == "UserPromptSubmit"                            ? Kind::prompt
                                                                         : Kind::other;
    event.only_successes = name == "PostToolUse";
    if (name == "PostToolUseFailure") event.outcome = Outcome::failure;
    event.refused = name == "PostToolUseFailure" && members.is_interrupt == "true";
    if (!members.last_assistant_message.empty())
      more_of(event).answer = text(members.last_assistant_message);
    return;
  }
  if (!members.phase.empty()) {
    const std::string_view phase = inside(members.phase);
    const bool is_call = inside(members.event_type) == "tool_call";
    if (is_call && phase == "pre") event.kind = Kind::begin;
    if (is_call && phase == "post") event.kind = Kind::end;
    return;
  }
  const std::string kind =
      base::lower_ascii(inside(first_of({members.event, members.event_type, members.type})));
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), kind) != names.end();
  };
  if (is({"prompt", "user_prompt", "userpromptsubmit", "user_prompt_submit"}))
    event.kind = Kind::prompt;
  else if (has_tool && is({"tool_start", "tool_begin", "pre_tool_use", "pretooluse", "pre"}))
    event.kind = Kind::begin;
  else if (has_tool && is({"tool_complete", "tool_end", "post_tool_use", "posttooluse", "post"}))
    event.kind = Kind::end;
  else if (has_tool)
    event.kind = Kind::call;
}

void HookParser::Memory::read_task(const Members& members, HookEvent& event) {
  const std::string_view type = text(members.task_type);
  const std::string_view complexity = text(first_of({members.complexity, members.task_complexity}));
  if (!type.empty()) more_of(event).task_type = type;
  if (!complexity.empty()) more_of(event).complexity = complexity;
}

void HookParser::Memory::read_id(const Members& members, HookEvent& event) {
  const std::string_view id = text(members.tool_use_id);
  if (!id.empty()) {
    more_of(event).id = id;
  } else if (!members.phase.empty()) {  // the end event names its begin event
    more_of(event).id_is_of_event = true;
    more_of(event).id =
        text(first_of({event.kind == HookEvent::Kind::begin ? members.id : members.related_event}));
  }
}

void HookParser::Memory::keep_error(HookEvent& event, std::string_view raw) {
  if (keep_texts) more_of(event).error = text(raw);
}

// Reads a tool's response; false if it is not an object.
bool HookParser::Memory::read_response(std::string_view raw, HookEvent& event) {
  if (!inside(raw).starts_with('{')) return false;
  const std::string_view unescaped = is_quoted(raw) ? decoded(raw, scratch) : raw;
  if (!base::trim(unescaped).ends_with('}')) return false;
  const Json response = values.parse(unescaped);
  if (!response.is_object()) return false;
  event.refused = event.refused || response.is_true("interrupted");
  if (const auto code = exit_code_of(response["exit_code"])) event.exit_code = code;
  const Json error = response["error"];
  const bool has_error = error.is_object() || !error.text().value_or("").empty();
  const bool failed = response.is_true("is_error") || response.is_true("isError") || has_error ||
                      response["success"].boolean() == false;
  event.outcome =
      failed || (event.exit_code && *event.exit_code != 0) ? Outcome::failure : Outcome::success;
  if (failed && keep_texts)
    more_of(event).error = texts.emplace_back(text_or_json(has_error ? error : response));
  return true;
}

// Reads a tool's output text, for which there is no exit code or error flag.
void HookParser::Memory::read_output(std::string_view raw, HookEvent& event) {
  if (raw.empty()) return;
  if (!is_blank_text(inside(raw)) && !errors.may_hold(inside(raw))) {
    event.outcome = Outcome::success;
    return;
  }
  event.outcome = outcome_of_output(is_quoted(raw) ? decoded(raw, scratch) : raw, errors);
  if (event.outcome == Outcome::failure) keep_error(event, raw);
}

void HookParser::Memory::read_outcome(const Members& members, HookEvent& event) {
  if (event.kind != HookEvent::Kind::call && event.kind != HookEvent::Kind::end) return;
  std::string_view code = first_of({members.exit, members.exit_code});
  if (code.empty() && !members.data.empty()) {
    const Json data = values.parse(members.data);
    event.exit_code = exit_code_of(data["exit_code"]);
  } else if (!code.empty()) {
    event.exit_code = whole_number(base::trim(text(code)));
  }
  const std::string_view error = first_of({members.error});
  const std::string_view output =
      first_of({members.tool_response, members.response, members.output, members.output_preview});
  const std::string_view status = inside(members.status);
  if (event.exit_code) {
    event.outcome = *event.exit_code == 0 ? Outcome::success : Outcome::failure;
    if (event.outcome == Outcome::failure) keep_error(event, first_of({error, output}));
  } else if (event.outcome == Outcome::failure || (!error.empty() && error != "false")) {
    event.outcome = Outcome::failure;
    keep_error(event, error);
  } else if (status == "error" || status == "failed" || status == "failure") {
    event.outcome = Outcome::failure;
    keep_error(event, output);
  } else if (read_response(output, event)) {
    return;
  } else if (event.only_successes || status == "success" || status == "ok") {
    event.outcome = Outcome::success;
  } else {
    read_output(output, event);
  }
}

HookParser::HookParser(const ErrorPatterns& errors, bool keep_texts)
    : memory_(std::make_unique<Memory>(errors, keep_texts)) {}
HookParser::HookParser(HookParser&&) noexcept = default;
HookParser& HookParser::operator=(HookParser&&) noexcept = default;
HookParser::~HookParser() = default;

void HookParser::forget() {
  memory_->texts.clear();
  memory_->more.clear();
}

bool is_utf8(std::string_view bytes) { return simdjson::validate_utf8(bytes.data(), bytes.size()); }

std::size_t HookParser::parse_call_line(std::string_view text, HookEvent& event, TextMarks& marks) {
  return memory_->read_call_line(text, event, marks);
}

bool HookParser::parse_copy(std::string_view text, HookEvent& event) {
  std::string& copy = memory_->texts.emplace_back(text);
  copy.append(kPadding, ' ');
  return parse({copy.data(), text.size()}, event);
}

bool HookParser::parse(std::string_view text, HookEvent& event, TextMarks* marks) {
  Members members;
  const bool is_split = marks && memory_->split(text, *marks, members);
  const bool is_sound = is_split || memory_->read_members(text, members);
  if (marks && is_sound && !is_split) memory_->learn(text);
  if (!is_sound) {
    std::string& repaired = memory_->texts.emplace_back(repair_json(text));
    const std::size_t size = repaired.size();
    repaired.append(kPadding, ' ');
    members = {};
    if (!memory_->read_members({repaired.data(), size}, members)) return false;
    event.not_utf8 = base::first_invalid(text).has_value();
  }
  event.tool = memory_->text(first_of({members.tool, members.tool_name}));
  event.session = memory_->text(first_of({members.session, members.session_id}));
  event.session_hash = std::hash<std::string_view>{}(event.session);
  event.input = first_of({members.tool_input, members.input, members.command});
  memory_->read_task(members, event);
  memory_->read_time(members, event);
  memory_->read_kind(members, event);
  if (event.kind == HookEvent::Kind::prompt && is_quoted(members.prompt))
    memory_->more_of(event).prompt = memory_->text(members.prompt);
  memory_->read_id(members, event);
  memory_->read_outcome(members, event);
  return true;
}

}  // namespace vibe::trace
