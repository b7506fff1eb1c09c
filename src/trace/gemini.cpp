#include "trace/gemini.h"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::trace {

namespace {

// The text of parts `{text}`, without thoughts.
std::string text_of_parts(Json content) {
  if (const auto text = content.text()) return std::string(*text);
  std::string out;
  const auto add = [&](Json part) {
    if (!part.is_true("thought")) out += part.text().value_or(part.text_of("text"));
  };
  if (content.is_object()) add(content);
  content.each(add);
  return out;
}

// Thoughts are billed as output, tool tokens as input. The total shows that neither is already
// included in these.
Tokens gemini_tokens(Json tokens) {
  Tokens out{.input = tokens.count_of("input"),
             .output = tokens.count_of("output"),
             .cache_read = tokens.count_of("cached"),
             .cache_in_input = true};
  const std::int64_t total = tokens.count_of("total");
  if (total == 0 || total > out.input + out.output) {
    out.input += tokens.count_of("tool");
    out.output += tokens.count_of("thoughts");
  }
  return out;
}

// For the end of a stream: only the total includes thoughts.
Tokens tokens_of_stats(Json stats) {
  Tokens out{.input = stats.count_of("input_tokens"),
             .output = stats.count_of("output_tokens"),
             .cache_read = stats.count_of("cached"),
             .cache_in_input = true};
  out.output = std::max(out.output, stats.count_of("total_tokens") - out.input);
  return out;
}

// The error message of a call.
std::string error_of(Json call) {
  const Json response = call["result"].at(0)["functionResponse"]["response"];
  if (response["error"].there()) return text_or_json(response["error"]);
  return text_or_json(call["resultDisplay"]);
}

class GeminiReader {
 public:
  explicit GeminiReader(Reading& reading) : reading_(reading) {}

  // A line of a record or stream, or a whole record.
  void read(Json value) {
    if (value["$rewindTo"].there()) return session().corrected();  // the user rewinds
    if (value["$set"].is_object()) return read_record(value["$set"]);
    if (value["projectHash"].there() || value["messages"].is_array()) return read_record(value);
    if (value["id"].text()) return read_message(value);
    read_stream(value);
  }

  // Documents of any size.
  void read_document(base::JsonStream& stream) {
    std::string text;
    std::optional<Time> started, ended;
    stream.object([&](std::string_view key) {
      if (key == "messages") {
        stream.array([&] { read_message(take(stream, reading_, parser_, text)); });
      } else if (key == "sessionId") {
        read_id(take(stream, reading_, parser_, text).text().value_or(""));
      } else if (key == "startTime") {
        started = time_of(take(stream, reading_, parser_, text));
      } else if (key == "lastUpdated") {
        ended = time_of(take(stream, reading_, parser_, text));
      }
    });
    read_span(started, ended);
  }

  void finish() {
    if (session_) session_->answered(streamed_);
  }

 private:
  Session& session() {
    if (!session_) {
      session_ = &reading_.new_session();
      session_->facts().agent = "Gemini CLI";
    }
    return *session_;
  }

  void read_id(std::string_view id) {
    if (id.empty()) return;
    if (session_ && !session_->facts().id.empty() && session_->facts().id != id) {
      finish();
      streamed_.clear();
      session_ = &reading_.session(id);
      session_->facts().agent = "Gemini CLI";
    }
    reading_.name(session(), id);
  }

  void read_record(Json record) {
    read_id(record.text_of("sessionId"));
    record["messages"].each([&](Json message) { read_message(message); });
    if (record["messages"].is_array())
      read_span(time_of(record["startTime"]), time_of(record["lastUpdated"]));
  }

  // The record is also written long after its session ended, so message times are more reliable.
  void read_span(std::optional<Time> started, std::optional<Time> ended) {
    if (timed_) return;
    session().seen(started);
    session().seen(ended);
  }

  void read_message(Json message) {
    if (!message.is_object()) return;
    const auto time = time_of(message["timestamp"]);
    const std::string_view type = message.text_of("type"), id = message.text_of("id");
    timed_ = timed_ || time;
    if (type == "user" && is_prompt(message, id)) {
      refused_ = false;
      session().prompted(time);
      return session().asked(text_of_parts(message["content"]));
    }
    session().seen(time);
    if (type == "gemini") read_answer(message, id, time);
    if (type == "error") session().ended(true);
    if (type == "info" && text_of_parts(message["content"]).starts_with("Request cancelled"))
      read_interruption();
  }

  // Messages are written again when they change, and all of them when the history is cut.
  bool is_prompt(Json message, std::string_view id) {
    if (text_of_parts(message["content"]).empty()) return false;  // tool results
    return id.empty() || prompts_.insert(std::hash<std::string_view>{}(id)).second;
  }

  void read_answer(Json message, std::string_view id, std::optional<Time> time) {
    const std::string_view model = message.text_of("model");
    session().modelled(model);
    const std::string text = text_of_parts(message["content"]);
    if (!base::trim(text).empty()) session().answered(text);
    session().ended(false);
    if (message["tokens"].is_object())
      session().spent(id, model.empty() ? session().model() : model,
                      gemini_tokens(message["tokens"]));
    std::size_t number = 0;
    message["toolCalls"].each([&](Json call) {
      std::string call_id(call.text_of("id"));
      if (call_id.empty()) call_id = fmt::format("{}/{}", shortened_name(id), number);
      ++number;
      read_call(call, call_id, time);
    });
  }

  void read_call(Json call, std::string_view id, std::optional<Time> begin) {
    const auto time = time_of(call["timestamp"]);
    session().seen(time);
    const std::string shown = shown_input(session(), call["args"]);
    session().begin({.name = call.text_of("name"),
                     .id = id,
                     .input_hash = call["args"].hash(),
                     .input = shown,
                     .time = begin});
    end_call(id, call.text_of("status"), error_of(call), time);
  }

  // In other states the call is waiting or running.
  void end_call(std::string_view id, std::string_view status, std::string_view error,
                std::optional<Time> time) {
    const bool refused = status == "cancelled";
    if (!refused && status != "success" && status != "error") return;
    const Outcome outcome = refused               ? Outcome::unknown
                            : status == "success" ? Outcome::success
                                                  : Outcome::failure;
    session().end(id, {.outcome = outcome, .error = error, .refused = refused, .time = time});
    refused_ = refused_ || refused;
  }

  // An interruption also cancels the running calls, which are counted separately.
  void read_interruption() {
    if (!refused_) session().corrected();
    refused_ = false;
  }

  void read_stream(Json event) {
    const auto time = time_of(event["timestamp"]);
    const std::string_view type = event.text_of("type");
    if (type == "init") {
      read_id(event.text_of("session_id"));
      session().modelled(event.text_of("model"));
    }
    if (type == "message") return read_text(event, time);
    session().seen(time);
    in_answer_ = false;
    if (type == "tool_use") begin_streamed(event, time);
    if (type == "tool_result") {
      const std::string error = event["error"].is_object()
                                    ? std::string(event["error"].text_of("message"))
                                    : text_or_json(event["output"]);
      end_call(event.text_of("tool_id"), event.text_of("status"), error, time);
    }
    if (type == "error" && event.text_of("severity") == "error") session().ended(true);
    if (type == "result") read_result(event);
  }

  // Answers come in pieces.
  void read_text(Json event, std::optional<Time> time) {
    if (event.text_of("role") == "user") {
      in_answer_ = false;
      session().answered(std::exchange(streamed_, {}));
      session().prompted(time);
      return session().asked(text_of_parts(event["content"]));
    }
    session().seen(time);
    if (!in_answer_ || !event.is_true("delta")) streamed_.clear();
    in_answer_ = true;
    if (streamed_.size() <= kMostAnswer) streamed_ += text_of_parts(event["content"]);
  }

  void begin_streamed(Json event, std::optional<Time> time) {
    const std::string shown = shown_input(session(), event["parameters"]);
    const CallStart start{.name = event.text_of("tool_name"),
                          .id = event.text_of("tool_id"),
                          .input_hash = event["parameters"].hash(),
                          .input = shown,
                          .time = time};
    session().begin(start);
  }

  void read_result(Json event) {
    session().ended(event.text_of("status") == "error");
    const Json stats = event["stats"], models = stats["models"];
    models.members([&](std::string_view model, Json one) {
      session().spent("", model, tokens_of_stats(one));
    });
    if (models.size() == 0 && stats.is_object())
      session().spent("", session().model(), tokens_of_stats(stats));
  }

  Reading& reading_;
  JsonParser parser_;
  Session* session_ = nullptr;
  std::unordered_set<std::uint64_t> prompts_;  // hashes of the message ids
  std::string streamed_;                       // the answer so far
  bool in_answer_ = false, refused_ = false, timed_ = false;
};

bool is_document(base::Input& input) {
  const auto head = input.peek(64u << 10);
  if (!head) return false;
  const auto first = Shapes(*head).next();
  return first && first->has("messages", '[');
}

}  // namespace

bool is_gemini(const Shape& shape) {
  if (shape.has("sessionId", '"') && shape.has("projectHash", '"')) return true;
  if (shape.text("type") == "gemini") return shape.has("id") && shape.has("timestamp");
  if (shape.has("subtype") || shape.has("uuid") || !shape.has("timestamp")) return false;
  if (shape.text("type") == "init") return shape.has("session_id") && shape.has("model");
  return (shape.text("type") == "tool_use" && shape.has("tool_name") && shape.has("parameters")) ||
         (shape.text("type") == "tool_result" && shape.has("tool_id") && shape.has("status"));
}

void read_gemini(base::Input input, Reading& reading) {
  if (is_document(input))
    return read_documents(input, reading, [&](base::JsonStream& stream) {
      GeminiReader reader(reading);
      reader.read_document(stream);
      reader.finish();
    });
  GeminiReader reader(reading);
  read_values(input, reading, [&](Json value) { reader.read(value); });
  reader.finish();
}

std::span<const Field> gemini_fields() {
  static constexpr std::array kFields{
      Field{"tool call",
            "`toolCalls` in `gemini` messages, deduplicated by `id`; in a stream, `tool_use` and "
            "`tool_result`"},
      Field{"outcome",
            "`status`: `success`, `error`; a command that exits with a code other than 0 counts as "
            "a success"},
      Field{"corrections",
            "`status: cancelled`; the info message `Request cancelled.`; a rewind (`$rewindTo`)"},
      Field{"times",
            "`timestamp` of messages and calls; if there are no messages, `startTime` and "
            "`lastUpdated`"},
      Field{"tokens",
            "`tokens` in the last line of each message: `input` (which includes `cached`) plus "
            "`tool`, `output` plus `thoughts`; in a stream, `stats` in `result`"},
      Field{"final answer",
            "the last `gemini` message with text; in a stream, the last chunks from the assistant"},
      Field{"prompt",
            "the last `user` message before it; in a stream, the last message with role `user`"},
      Field{"model", "`model` in the messages or in `init`"},
      Field{"end", "an `error` message without a later `gemini` message; `status` in `result`"},
  };
  return kFields;
}

}  // namespace vibe::trace
