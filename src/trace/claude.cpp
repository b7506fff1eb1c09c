#include "trace/claude.h"

#include <array>
#include <functional>
#include <unordered_set>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::trace {

namespace {

constexpr std::string_view kInterrupted = "[Request interrupted by user";
constexpr std::array<std::string_view, 3> kRefusals{
    "The user doesn't want to proceed", "The user doesn't want to take this action", kInterrupted};

bool begins_with_any(std::string_view text, std::span<const std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

// `Exit code 2` and a line break, at the beginning of a shell command's output.
std::optional<std::int64_t> exit_code_in(std::string_view text) {
  constexpr std::string_view kBefore = "Exit code ";
  if (!text.starts_with(kBefore)) return std::nullopt;
  text.remove_prefix(kBefore.size());
  return base::parse_integer(base::trim(text.substr(0, text.find('\n'))));
}

Tokens claude_tokens(Json usage) {
  return {.input = usage.count_of("input_tokens"),
          .output = usage.count_of("output_tokens"),
          .cache_read = usage.count_of("cache_read_input_tokens"),
          .cache_write = usage.count_of("cache_creation_input_tokens")};
}

class ClaudeReader {
 public:
  explicit ClaudeReader(Reading& reading) : reading_(reading) {}

  void read(Json value) {
    if (value["direction"].there() && value["message"].is_object())  // a recorded conversation
      return read(value["message"]);
    if (value["messages"].is_array() && !value["type"].there())
      return value["messages"].each([&](Json message) { read(message); });
    const std::string_view type = value.text_of("type");
    if (type.empty() || type == "control_request" || type == "control_response") return;
    if (type == "summary" && !value["sessionId"].there()) return;  // about another session
    if (!is_event(value)) return reading_.add_foreign();
    find_session(value);
    const auto time = time_of(value["timestamp"]);
    if (type == "user") return read_user(value, time);
    session_->seen(time);
    if (type == "assistant") read_assistant(value, time);
    if (type == "system") read_system(value);
    if (type == "result") read_result(value);
  }

 private:
  static bool is_event(Json value) {
    constexpr std::array<std::string_view, 6> kSigns{"sessionId", "session_id", "uuid",
                                                     "message",   "messageId",  "isSnapshotUpdate"};
    return std::any_of(kSigns.begin(), kSigns.end(),
                       [&](std::string_view key) { return value[key].there(); });
  }

  // A conversation may continue under another id: its first message is then the child of an earlier
  // one.
  void find_session(Json value) {
    std::string_view id = value.text_of("sessionId");
    if (id.empty()) id = value.text_of("session_id");
    const std::string_view parent = value.text_of("parentUuid");
    const bool goes_on = session_ && !parent.empty() && messages_.contains(hash_(parent));
    if (id.empty() || id == "default") {
      if (!session_) session_ = &reading_.new_session();
    } else if (session_ && session_->facts().id.empty()) {
      reading_.name(*session_, id);
    } else if (goes_on) {
      session_ = &reading_.session(id, session_);
    } else {
      session_ = &reading_.session(id);
    }
    if (const std::string_view uuid = value.text_of("uuid"); !uuid.empty())
      messages_.insert(hash_(uuid));
    if (const std::string_view version = value.text_of("version"); !version.empty())
      session_->facts().agent = fmt::format("Claude Code {}", version);
  }

  static std::string_view sub_agent(Json value) {
    const std::string_view agent = value.text_of("agentId");
    if (value.is_true("isSidechain")) return agent.empty() ? "sub-agent" : agent;
    return value.text_of("parent_tool_use_id");  // in the stream
  }

  void read_user(Json value, std::optional<Time> time) {
    const Json content = value["message"]["content"], structured = value["toolUseResult"];
    bool has_result = false;
    std::string text(content.text().value_or(""));
    content.each([&](Json block) {
      if (block.text_of("type") == "tool_result") {
        has_result = true;
        read_tool_result(block, structured, time);
      } else if (block.text_of("type") == "text") {
        text += block.text_of("text");
      }
    });
    if (text.starts_with(kInterrupted) && !refused_) session_->corrected(time);
    const bool by_program = value.is_true("isMeta") || value.is_true("isCompactSummary") ||
                            !sub_agent(value).empty() || is_made_up_prompt(text);
    if (has_result || text.empty() || by_program) {
      session_->seen(time);
    } else {
      session_->prompted(time);
      session_->asked(text);
    }
    if (!has_result && !text.empty()) refused_ = false;
  }

  void read_tool_result(Json block, Json structured, std::optional<Time> time) {
    const std::string text = text_of_blocks(block["content"], "\n");
    const bool failed = block.is_true("is_error");
    const std::string_view words = structured.text().value_or("");
    refused_ = structured.is_true("interrupted") ||
               (failed && (begins_with_any(text, kRefusals) ||
                           text.find("you haven't granted it yet") != std::string::npos ||
                           words.find("User rejected tool use") != std::string_view::npos));
    session_->end(block.text_of("tool_use_id"),
                  {.outcome = failed ? Outcome::failure : Outcome::success,
                   .exit_code = exit_code_in(text),
                   .error = text,
                   .refused = refused_,
                   .time = time});
  }

  void read_assistant(Json value, std::optional<Time> time) {
    const Json message = value["message"];
    const std::string_view id = message.text_of("id"), model = message.text_of("model");
    const std::string_view sub = sub_agent(value);
    const bool real = model != "<synthetic>" && !value.is_true("isApiErrorMessage");
    if (real && message["usage"].is_object())
      session_->spent(id, model, claude_tokens(message["usage"]));
    refused_ = false;
    std::string text(message["content"].text().value_or(""));
    message["content"].each([&](Json block) {
      const std::string_view type = block.text_of("type");
      if (type == "tool_use") begin_call(block, sub, time);
      if (type != "text") return;
      if (!text.empty()) text += "\n\n";
      text += block.text_of("text");
    });
    if (!real || !sub.empty() || text.empty()) return;
    session_->answered(text, id);
  }

  void begin_call(Json block, std::string_view sub, std::optional<Time> time) {
    const Json input = block["input"];
    const std::string shown = session_->keeps_calls() ? input.dump(kMostShown) : std::string();
    session_->begin({.name = block.text_of("name"),
                     .id = block.text_of("id"),
                     .input_hash = input.hash(),
                     .input = shown,
                     .time = time,
                     .sub_agent = sub});
  }

  void read_system(Json value) {
    const std::string_view kind = value.text_of("subtype");
    if (kind == "api_error" || kind == "api_retry") session_->api_retried();
    if (kind != "init") return;
    session_->modelled(value.text_of("model"));
    if (const auto version = value["claude_code_version"].text())
      session_->facts().agent = fmt::format("Claude Code {}", *version);
  }

  // The last line of the stream.
  void read_result(Json value) {
    session_->ended(value["is_error"].boolean());
    if (const auto cost = value["total_cost_usd"].number()) session_->cost(*cost);
    if (const auto millis = value["duration_ms"].number()) session_->worked(*millis / 1e3);
    session_->answered(value.text_of("result"));
  }

  Reading& reading_;
  Session* session_ = nullptr;
  std::hash<std::string_view> hash_;
  std::unordered_set<std::size_t> messages_;  // hashes of the message uuids
  bool refused_ = false;                      // the last result was a refusal
};

}  // namespace

bool is_made_up_prompt(std::string_view text) {
  constexpr std::array<std::string_view, 6> kBeginnings{
      "<command-", "<local-command-", "<bash-", "<task-notification>", "Caveat:", kInterrupted};
  return begins_with_any(base::trim(text), kBeginnings);
}

bool is_claude(const Shape& shape) {
  if (shape.has("sessionId") && shape.has("type") && !shape.has("messages") &&
      !shape.has("projectHash"))
    return shape.has("uuid") || shape.has("timestamp") || shape.has("message");
  if (shape.has("session_id")) return false;
  return (shape.is_one_of("type", {"user", "assistant"}) && shape.has("timestamp") &&
          (shape.has("message.role") || shape.has("message.content"))) ||
         (shape.text("type") == "summary" && shape.has("leafUuid")) ||
         (shape.text("type") == "file-history-snapshot" && shape.has("messageId"));
}

bool is_claude_stream(const Shape& shape) {
  const auto is_message = [&](const std::string& in) {
    const bool has_session = shape.has(in + "session_id");
    return shape.is_one_of(in + "type",
                           {"user", "assistant", "result", "stream_event", "system",
                            "control_request", "control_response", "rate_limit_event"}) &&
           (has_session || shape.has(in + "request_id") || shape.has(in + "response")) &&
           !shape.has(in + "hook_event_name");
  };
  if (shape.has("direction")) return is_message("message.");
  if (shape.has("messages.direction")) return is_message("messages.message.");
  return is_message("") && !shape.has("sessionId") && !shape.has("payload");
}

void read_claude(base::Input input, Reading& reading) {
  ClaudeReader reader(reading);
  read_values(input, reading, [&](Json value) { reader.read(value); });
}

std::span<const Field> claude_fields() {
  static constexpr std::array kFields{
      Field{"tool call",
            "`assistant` lines: `message.content[]` of type `tool_use`, deduplicated by `id`"},
      Field{
          "outcome",
          "`user` lines: `tool_result` with the call's id; `is_error`, or success if it is absent"},
      Field{"exit code", "the result begins with `Exit code N`"},
      Field{"tokens", "`message.usage` in the last line of each `message.id`"},
      Field{"cost", "computed from the tokens and the price table; the log has no cost"},
      Field{"final answer",
            "text of the last `assistant` message that neither a sub-agent nor the program itself "
            "wrote"},
      Field{"corrections",
            "a refused or interrupted call, or one whose permission was not granted; `[Request "
            "interrupted by user`"},
      Field{"retries", "`system` lines with `api_error`; a failed call that is repeated"},
      Field{"turns",
            "`user` lines with text that a person wrote: not `isMeta`, not `isCompactSummary`, not "
            "`<command-…`"},
      Field{"prompt", "the text of the last turn that has an answer"},
      Field{"sub-agents",
            "`isSidechain`, and `SESSION/subagents/agent-*.jsonl` next to the transcript; their "
            "calls belong to the session"},
  };
  return kFields;
}

std::span<const Field> claude_stream_fields() {
  static constexpr std::array kFields{
      Field{"messages", "as in a transcript; `session_id`; also wrapped as `{direction, message}`"},
      Field{"prompt", "`user` lines with text, if the stream has them"},
      Field{"cost", "`total_cost_usd` in the last line (`result`)"},
      Field{"active time", "`duration_ms` in the last line"},
      Field{"final answer", "`result` in the last line"},
      Field{"end", "`is_error` in the last line"},
  };
  return kFields;
}

}  // namespace vibe::trace
