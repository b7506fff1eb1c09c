#include "trace/inspect.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/zip.h"

namespace vibe::trace {

namespace {

constexpr std::string_view kName = "inspect", kAttachment = "attachment://";

// Text in pieces, some of which may be attachments, which come at the end of the sample. Many
// pieces may refer to one attachment, so their total is limited to kMostAnswer bytes.
class Text {
 public:
  void take(Json content) {
    std::vector<std::string> found;
    const auto add = [&](std::string_view text) {
      if (!text.empty()) found.emplace_back(text);
    };
    add(content.text().value_or(""));
    content.each([&](Json block) {
      if (block.text_of("type") == "text") add(block.text_of("text"));
    });
    if (found.empty()) return;
    pieces_ = std::move(found);
    wanted_.clear();
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      if (pieces_[i].starts_with(kAttachment))
        wanted_[pieces_[i].substr(kAttachment.size())].push_back(i);
  }

  bool wants(const std::string& hash) const { return wanted_.contains(hash); }

  void resolve(const std::string& hash, std::string_view text) {
    const auto found = wanted_.find(hash);
    if (found == wanted_.end()) return;
    for (const std::size_t place : found->second) {
      pieces_[place] = text.substr(0, room_);
      room_ -= pieces_[place].size();
    }
    wanted_.erase(found);
  }

  // Also empty if an attachment is missing.
  std::string text() const {
    if (!wanted_.empty()) return {};
    std::string out;
    for (const std::string& piece : pieces_) {
      if (!out.empty()) out += '\n';
      out += piece;
    }
    return out;
  }

 private:
  std::vector<std::string> pieces_;
  std::unordered_map<std::string, std::vector<std::size_t>> wanted_;  // positions, by attachment
  std::size_t room_ = kMostAnswer + 1;  // one more, to notice a longer text
};

Tokens inspect_tokens(Json usage) {
  Tokens out{.input = usage.count_of("input_tokens"),
             .output = usage.count_of("output_tokens"),
             .cache_read = usage.count_of("input_tokens_cache_read"),
             .cache_write = usage.count_of("input_tokens_cache_write")};
  // Whether the input includes cached tokens depends on the provider; the total shows it.
  out.cache_in_input = usage.count_of("total_tokens") == out.input + out.output;
  return out;
}

// One sample while it is read, member by member; only the needed parts are in memory.
class Sample {
 public:
  Sample(Reading& reading, Session& session) : reading_(reading), session_(session) {}

  void read(base::JsonStream& stream) {
    const bool whole = stream.object([&](std::string_view key) { read_member(stream, key); });
    finish(whole);
  }

 private:
  void read_member(base::JsonStream& stream, std::string_view key) {
    if (key == "messages") {
      stream.array([&] { read_message(stream); });
    } else if (key == "events") {
      stream.array([&] { read_event(stream); });
    } else if (key == "attachments") {
      stream.object([&](std::string_view hash) { read_attachment(stream, hash); });
    } else if (key == "output") {
      read_output(stream);
    } else if (key == "input") {
      read_input(take(stream, reading_, parser_, text_));
    } else if (key == "id" || key == "epoch" || key == "error" || key == "model_usage" ||
               key == "working_time" || key == "started_at" || key == "completed_at") {
      read_fact(key, take(stream, reading_, parser_, text_));
    }
  }

  void read_fact(std::string_view key, Json value) {
    if (key == "id") id_ = text_or_json(value);
    if (key == "epoch") epoch_ = value.integer().value_or(1);
    if (key == "error") failed_ = value.there() && !value.is_null();
    if (key == "model_usage")
      value.members([&](std::string_view model, Json usage) {
        session_.spent("", model, inspect_tokens(usage));
        if (const auto cost = usage["total_cost"].number()) session_.add_cost(*cost);
      });
    if (key == "working_time")
      if (const auto seconds = value.number()) session_.worked(*seconds);
    if (key == "started_at") started_ = time_of(value);
    if (key == "completed_at") completed_ = time_of(value);
  }

  void read_output(base::JsonStream& stream) {
    constexpr std::array<std::string_view, 2> kWanted{"completion", "choices"};
    const Json output = members(stream, kWanted);
    output_.take(output["choices"].at(0)["message"]["content"]);
    if (!output.text_of("completion").empty()) output_.take(output["completion"]);
  }

  // The input is text, or a conversation that the user began.
  void read_input(Json input) {
    if (input.text()) return input_.take(input);
    input.each([&](Json message) {
      if (message.text_of("role") == "user") input_.take(message["content"]);
    });
  }

  void read_message(base::JsonStream& stream) {
    constexpr std::array<std::string_view, 6> kWanted{"role",         "content", "tool_calls",
                                                      "tool_call_id", "error",   "tool_error"};
    const Json message = members(stream, kWanted);
    const std::string_view role = message.text_of("role");
    if (role == "assistant") {
      last_message_.take(message["content"]);
      message["tool_calls"].each([&](Json call) { begin(call, std::nullopt); });
    }
    if (role == "tool")
      end(message.text_of("tool_call_id"),
          message["error"].there() ? message["error"] : message["tool_error"], false, std::nullopt);
  }

  // Older logs nest the events of a tool, or of the agent behind it, in the tool's event.
  void read_event(base::JsonStream& stream) {
    constexpr std::array<std::string_view, 10> kWanted{
        "event",     "timestamp", "completed", "id",      "function",
        "arguments", "error",     "failed",    "pending", "retries"};
    const Json event = members(stream, kWanted);
    const auto start = time_of(event["timestamp"]), end_time = time_of(event["completed"]);
    for (const auto time : {start, end_time}) {
      if (!time) continue;
      session_.seen(time);
      timed_ = true;
    }
    const std::string_view kind = event.text_of("event");
    if (const std::string_view id = event.text_of("id"); kind == "tool" && !id.empty()) {
      begin(event, start);
      if (!event.is_true("pending")) end(id, event["error"], event.is_true("failed"), end_time);
    }
    if (kind == "model")
      for (std::int64_t i = std::min(event.count_of("retries"), kMostRetries); i > 0; --i)
        session_.api_retried();
  }

  // The wanted members of the next object; its `events` are read on the way.
  Json members(base::JsonStream& stream, std::span<const std::string_view> wanted) {
    std::string text = "{";
    const bool whole = stream.object([&](std::string_view key) {
      if (key == "events") stream.array([&] { read_event(stream); });
      if (std::find(wanted.begin(), wanted.end(), key) == wanted.end()) return;
      if (text.size() > 1) text += ',';
      text += fmt::format("\"{}\":", key);
      stream.copy(text, Values::kMostBytes);
    });
    if (!whole) return {};
    text += '}';
    const Json out = parser_.parse(text);
    if (!out.there() || !parser_.was_utf8()) reading_.add_bad_line(stream.line());
    return out;
  }

  void begin(Json call, std::optional<Time> time) {
    const std::string_view id = call.text_of("id");
    if (id.empty()) return;
    const Json input = call["arguments"];
    const std::string shown = session_.keeps_calls() ? text_or_json(input) : std::string();
    const std::vector<Call>& calls = session_.facts().calls;
    const std::size_t before = calls.size();
    session_.begin({.name = call.text_of("function"),
                    .id = id,
                    .input_hash = input.hash(),
                    .input = shown,
                    .time = time});
    if (!session_.keeps_calls()) return;
    // Messages come first and have no times.
    const std::size_t number = numbers_.try_emplace(std::string(id), before).first->second;
    if (time && number < calls.size()) session_.facts().calls[number].start = time;
  }

  void end(std::string_view id, Json error, bool failed, std::optional<Time> time) {
    const bool has_error = error.there() && !error.is_null();
    const std::string_view type = error.text_of("type");
    const std::string message =
        error["message"].there() ? text_or_json(error["message"]) : text_or_json(error);
    session_.end(id, {.outcome = has_error || failed ? Outcome::failure : Outcome::success,
                      .error = message,
                      .refused = type == "approval" || type == "cancelled",
                      .time = time});
    if (session_.keeps_calls() && message.starts_with(kAttachment))
      errors_.emplace(message.substr(kAttachment.size()), id);
  }

  void read_attachment(base::JsonStream& stream, std::string_view name) {
    const std::string hash(name);
    const auto [first, last] = errors_.equal_range(hash);
    if (first == last && !input_.wants(hash) && !output_.wants(hash) && !last_message_.wants(hash))
      return;
    const Json value = take(stream, reading_, parser_, text_);
    const std::string_view text = value.text().value_or("");
    input_.resolve(hash, text);
    output_.resolve(hash, text);
    last_message_.resolve(hash, text);
    for (auto at = first; at != last; ++at)
      session_.end(at->second, {.outcome = Outcome::failure, .error = text});
    errors_.erase(first, last);  // a second attachment with this hash is ignored
  }

  void finish(bool whole) {
    if (!timed_ && !id_.empty()) {
      session_.seen(started_);
      session_.seen(completed_);
    }
    std::string answer = output_.text();
    if (answer.empty()) answer = last_message_.text();
    if (!answer.empty()) session_.answered(answer);
    session_.tasked(input_.text());
    Execution& facts = session_.facts();
    facts.id = id_.empty() ? std::string() : fmt::format("{}/{}", id_, epoch_);
    if (failed_ || whole || !id_.empty())
      session_.ended(failed_ || whole ? std::optional(failed_) : std::nullopt);
  }

  static constexpr std::int64_t kMostRetries = 1000;
  Reading& reading_;
  Session& session_;
  JsonParser parser_;
  std::string text_, id_;
  std::int64_t epoch_ = 1;
  bool failed_ = false, timed_ = false;
  std::optional<Time> started_, completed_;
  Text input_, output_, last_message_;
  std::unordered_map<std::string, std::size_t> numbers_;      // call numbers, by id
  std::unordered_multimap<std::string, std::string> errors_;  // attachment → id of the call
};

// What the header says about all samples.
struct Header {
  std::string agent, model;
};

class Log {
 public:
  explicit Log(Reading& reading, Header header = {})
      : reading_(reading), header_(std::move(header)) {}

  void read_document(base::JsonStream& stream) {
    stream.object([&](std::string_view key) {
      if (key == "eval") read_eval(take_members(stream, {"model", "task", "solver"}));
      if (key == "samples") stream.array([&] { read_sample(stream); });
    });
  }

  void read_header(base::JsonStream& stream) {
    read_eval(take_members(stream, {"eval/model", "eval/task", "eval/solver"})["eval"]);
  }
  const Header& header() const { return header_; }

  void read_sample(base::JsonStream& stream) {
    if (stream.next() != '{') return;
    // By number, because the name of the sample is inside it.
    Session& session = reading_.session(fmt::format("sample {}", sessions_.size()));
    sessions_.push_back(&session);
    Sample(reading_, session).read(stream);
  }

  void finish() {
    for (Session* session : sessions_) {
      session->facts().agent = header_.agent;
      session->facts().model = header_.model;
    }
  }

 private:
  Json take_members(base::JsonStream& stream, std::initializer_list<std::string_view> paths) {
    text_.clear();
    if (!stream.copy_members(std::span(paths.begin(), paths.size()), text_, Values::kMostBytes))
      return {};
    const Json out = parser_.parse(text_);
    if (!out.there() || !parser_.was_utf8()) reading_.add_bad_line(stream.line());
    return out;
  }

  void read_eval(Json eval) {
    header_.agent = shortened_name(eval.text_of("solver"));
    if (header_.agent.empty()) header_.agent = shortened_name(eval.text_of("task"));
    header_.model = shortened_name(eval.text_of("model"));
    if (header_.model == "none/none") header_.model.clear();  // the agent calls models itself
  }

  Reading& reading_;
  Header header_;
  JsonParser parser_;
  std::string text_;
  std::vector<Session*> sessions_;
};

// In version 3 each sample is a folder: `samples/ID_epoch_N/events/0.json`.
bool is_piece(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  for (std::size_t at = name.find("_epoch_"); at != std::string_view::npos && at < slash;
       at = name.find("_epoch_", at + 1)) {
    const std::size_t end = name.find_first_not_of("0123456789", at + 7);
    if (end != at + 7 && end != std::string_view::npos && name[end] == '/') return true;
  }
  return false;
}

void add_problem(Reading& reading, std::string message) {
  base::Diagnostics out;
  out.add(base::Code::bad_document, {}, std::move(message));
  reading.add_problem(out);
}

// Reads a member of the archive. Its lines have their own numbers, so its bad lines are counted
// separately and name it. `walk(log, stream)` walks the object in it.
template <class Walk>
void read_member(const base::Zip& zip, const base::ZipMember& member, Reading& reading,
                 const Header& header, Walk walk) {
  auto packed = zip.read(member);
  if (!packed) return reading.add_problem(packed.error());
  const auto bytes = while_wanted(std::move(*packed), reading.options());
  Reading own(reading.file(), reading.options());
  Log log(own, header);
  base::JsonStream stream(*bytes);
  const bool is_object = stream.next() == '{';
  if (is_object) walk(log, stream);
  const bool ends = stream.next() == 0;  // reads to the end, where the checksum is verified
  if (stream.failure())
    check_end(stream, own);
  else if (!is_object || !ends)
    own.add_bad_line(stream.line());
  log.finish();
  reading.add_problem(own.problems());
  const BadLines bad = own.bad_lines();
  std::vector<Execution> found = own.finish(kName);
  if (found.empty() && bad.count > 0)
    add_problem(reading, fmt::format("`{}` cannot be read: line {} is broken", member.name,
                                     bad.first.front()));
  for (Execution& execution : found) {
    if (bad.count > 0) execution.notes.front() += fmt::format(" (in `{}`)", member.name);
    reading.add(std::move(execution));
  }
}

void read_archive(base::Input input, Reading& reading) {
  const auto zip = base::Zip::open(std::move(input), {.unpacked = reading.options().most_unpacked});
  if (!zip) return reading.add_problem(zip.error());
  const base::ZipMember* first = zip->find("header.json");
  if (!first) first = zip->find("_journal/start.json");  // of an unfinished run
  Header header;
  if (first)
    read_member(*zip, *first, reading, {}, [&](Log& log, base::JsonStream& stream) {
      log.read_header(stream);
      header = log.header();
    });
  bool has_pieces = false, has_samples = false;
  for (const base::ZipMember& member : zip->members()) {
    if (!member.name.starts_with("samples/") || !member.name.ends_with(".json")) continue;
    if (reading.is_full()) break;
    has_samples = true;
    if (is_piece(member.name)) {
      has_pieces = true;
      continue;
    }
    read_member(*zip, member, reading, header,
                [](Log& log, base::JsonStream& stream) { log.read_sample(stream); });
  }
  if (has_pieces)
    add_problem(reading, "the log has samples in pieces (version 3), which vibe cannot read");
  if (!first && !has_samples)
    add_problem(reading,
                "the zip archive is not an Inspect log: it has neither `header.json` nor "
                "`_journal/start.json`, nor samples");
}

}  // namespace

bool is_inspect(const Shape& shape) {
  return shape.has("eval", '{') && (shape.has("version") || shape.has("status")) &&
         (shape.has("eval.task") || shape.has("eval.model") || shape.has("eval.run_id"));
}

bool is_inspect_archive(std::string_view) { return true; }

void read_inspect(base::Input input, Reading& reading) {
  const auto head = input.peek(4);
  if (head && base::is_zip(*head)) return read_archive(std::move(input), reading);
  base::JsonStream stream(input);
  Log log(reading);
  log.read_document(stream);
  log.finish();
  check_end(stream, reading);
}

std::span<const Field> inspect_fields() {
  static constexpr std::array kFields{
      Field{"execution", "each sample, named `ID/EPOCH`"},
      Field{"tool call",
            "`tool_calls` in assistant messages and `tool` events, including nested ones, "
            "deduplicated by `id`"},
      Field{"failure",
            "an `error` in the tool message or event; an exit code other than 0 is not a failure"},
      Field{"corrections", "an `error` of type `approval` or `cancelled`"},
      Field{"retries", "`retries` in `model` events; a failed call that is repeated"},
      Field{"times",
            "`timestamp` and `completed` of all events; if there are no events, `started_at` and "
            "`completed_at`"},
      Field{"active time", "the sample's `working_time`"},
      Field{"tokens",
            "the sample's `model_usage`, summed over all models; `total_tokens` shows whether "
            "`input_tokens` includes cached tokens"},
      Field{"cost", "`total_cost` in `model_usage`"},
      Field{"final answer",
            "`output`, else the last assistant message with text; vibe resolves `attachment://…`"},
      Field{"prompt", "the sample's `input`: the string, or the last user message"},
      Field{"agent, model", "`eval.solver`, else `eval.task`; `eval.model`"},
      Field{"end", "the sample's `error`"},
  };
  return kFields;
}

}  // namespace vibe::trace
