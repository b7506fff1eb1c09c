#include "trace/codex.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::trace {

namespace {

// Codex puts its own report about a command before the command's output.
std::string_view header_of(std::string_view output) {
  constexpr std::size_t kMost = 1024;
  return output.substr(0, std::min(output.find("\nOutput:"), kMost));
}

std::optional<std::int64_t> number_after(std::string_view text, std::string_view words) {
  for (std::size_t at = text.find(words); at != std::string_view::npos;
       at = text.find(words, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    const std::string_view rest = text.substr(at + words.size());
    return base::parse_integer(base::trim(rest.substr(0, rest.find('\n'))));
  }
  return std::nullopt;
}

bool holds_any(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

bool still_runs(std::string_view output) {
  return header_of(output).find("Process running with session ID") != std::string_view::npos;
}

Outcome outcome_of_code(std::optional<std::int64_t> exit_code) {
  if (!exit_code) return Outcome::unknown;
  return *exit_code == 0 ? Outcome::success : Outcome::failure;
}

// The result that a tool's output text shows.
CallEnd result_of_text(std::string_view text) {
  constexpr std::array<std::string_view, 4> kFailures{"failed in sandbox", "execution error",
                                                      "command timed out",
                                                      "apply_patch verification failed"};
  const std::string_view header = header_of(text);
  CallEnd out{.error = text};
  out.exit_code = number_after(header, "Process exited with code ");
  if (!out.exit_code) out.exit_code = number_after(header, "Exit code: ");
  out.outcome = outcome_of_code(out.exit_code);
  out.refused = header.find("rejected by user") != std::string_view::npos;
  if (out.outcome == Outcome::unknown && !out.refused && holds_any(header, kFailures))
    out.outcome = Outcome::failure;
  return out;
}

// Text that Codex inserts before the user's prompt.
bool is_context(std::string_view text) {
  constexpr std::array<std::string_view, 4> kBeginnings{
      "<environment_context>", "<user_instructions>", "<turn_aborted>", "# AGENTS.md instructions"};
  const std::string_view trimmed = base::trim(text);
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](std::string_view beginning) { return trimmed.starts_with(beginning); });
}

Tokens codex_tokens(Json usage) {
  return {.input = usage.count_of("input_tokens"),
          .output = usage.count_of("output_tokens"),
          .cache_read = usage.count_of("cached_input_tokens"),
          .cache_in_input = true};
}

// The events that rollouts and the older `codex exec --json` share.
class CodexEvents {
 public:
  explicit CodexEvents(Session& session) : session_(session) {}

  void read(Json event, std::optional<Time> time) {
    const std::string_view type = event.text_of("type");
    if (type == "user_message") {
      refused_ = false;
      session_.prompted(time);
      return session_.asked(event.text_of("message"));
    }
    session_.seen(time);
    if (type == "turn_aborted") {
      if (!refused_) session_.corrected(time);  // else it is already counted
      refused_ = false;
    }
    if (type == "stream_error") session_.api_retried();
    if (type == "error") session_.ended(true);
    if (type == "token_count") read_tokens(event);
    if (type == "exec_command_end") end_command(event, time);
    if (type == "mcp_tool_call_end") end_mcp(event, time);
    if (type == "agent_message") answer_without_phase(event.text_of("message"));
    if (type == "task_complete") {
      session_.ended(false);
      answer_without_phase(event.text_of("last_agent_message"));
    }
  }

  void set_refused(bool refused) { refused_ = refused; }

  void answer(std::string_view text, std::string_view phase) {
    if (text.empty() || (has_final_ && phase != "final_answer")) return;
    has_final_ = has_final_ || phase == "final_answer";
    session_.answered(text);
  }

 private:
  void answer_without_phase(std::string_view text) { answer(text, ""); }

  void read_tokens(Json event) {
    const Json info = event["info"].there() ? event["info"] : event;
    const Json total = info["total_token_usage"];
    if (total.is_object()) session_.counted(session_.model(), codex_tokens(total));
  }

  void end_command(Json event, std::optional<Time> time) {
    if (!session_.has_begun(event.text_of("call_id"))) return;
    const auto code = event["exit_code"].integer();
    session_.end(event.text_of("call_id"), {.outcome = outcome_of_code(code),
                                            .exit_code = code,
                                            .error = event.text_of("aggregated_output"),
                                            .refused = event.text_of("status") == "declined",
                                            .time = time});
  }

  void end_mcp(Json event, std::optional<Time> time) {
    if (!session_.has_begun(event.text_of("call_id"))) return;
    const Json result = event["result"];
    const bool failed = result["Err"].there() || result["Ok"].is_true("isError") ||
                        result["Ok"].is_true("is_error");
    const std::string error = text_or_json(result["Err"]);
    session_.end(
        event.text_of("call_id"),
        {.outcome = failed ? Outcome::failure : Outcome::success, .error = error, .time = time});
  }

  Session& session_;
  bool has_final_ = false, refused_ = false;  // the last result was a refusal
};

class CodexReader {
 public:
  explicit CodexReader(Reading& reading) : reading_(reading), errors_(reading.options().errors) {
    begin_session();
  }

  void read(Json value) {
    const auto time = time_of(value["timestamp"]);
    const std::string_view type = value.text_of("type");
    const Json payload = value["payload"];
    if (!payload.is_object()) return read_bare(value, time);
    if (type == "event_msg") return events_->read(payload, time);
    if (type == "session_meta") read_meta(payload);
    session_->seen(time);
    if (type == "turn_context") session_->modelled(payload.text_of("model"));
    if (type == "response_item") read_item(payload, time);
  }

  void finish() {
    if (hosted_ > 0)
      session_->noted(fmt::format(
          "{} by the model's service {} not counted as calls: the log has no results for them",
          hosted_ == 1 ? "1 search" : fmt::format("{} searches", hosted_),
          hosted_ == 1 ? "is" : "are"));
  }

 private:
  void begin_session() {
    session_ = &reading_.new_session();
    events_.emplace(*session_);
    hosted_ = 0;
    has_items_ = false;
  }

  // The first generation: items without an envelope, one time stamp in the whole file.
  void read_bare(Json value, std::optional<Time> time) {
    const std::string_view type = value.text_of("type");
    if (type.empty() && value["id"].there())
      read_meta(value);
    else if (value["message"].is_object() || value["uuid"].there() || value["tool"].there())
      return reading_.add_foreign();
    session_->seen(time);
    read_item(value, time);
  }

  void read_meta(Json meta) {
    // Metadata at the beginning belongs to the sessions that this one continues; after the first
    // item it belongs to another session.
    if (has_items_ && meta.text_of("id") != session_->facts().id) {
      finish();
      begin_session();
    }
    Execution& facts = session_->facts();
    if (!facts.id.empty()) return;
    reading_.name(*session_, meta.text_of("id"));
    const std::string_view version = meta.text_of("cli_version");
    facts.agent = version.empty() ? "Codex" : fmt::format("Codex {}", version);
  }

  static std::string_view id_of(Json item) {
    const std::string_view id = item.text_of("call_id");
    return id.empty() ? item.text_of("id") : id;
  }

  void read_item(Json item, std::optional<Time> time) {
    const std::string_view type = item.text_of("type");
    has_items_ = has_items_ || !type.empty();
    if (type == "function_call" || type == "custom_tool_call" || type == "local_shell_call")
      begin_call(item, time);
    if (type == "function_call_output" || type == "custom_tool_call_output") end_call(item, time);
    if (type == "web_search_call") hosted_++;
    if (type != "message") return;
    const std::string text = text_of_blocks(item["content"]);
    if (item.text_of("role") == "assistant") events_->answer(text, item.text_of("phase"));
    if (item.text_of("role") == "user" && !is_context(text)) session_->asked(text);
  }

  void begin_call(Json item, std::optional<Time> time) {
    Json input = item["arguments"];
    if (!input.there()) input = item["input"];
    if (!input.there()) input = item["action"];
    const std::string shown = shown_input(*session_, input);
    const std::string_view name = item.text_of("name");
    const CallStart call{.name = name.empty() ? std::string_view("local_shell") : name,
                         .id = id_of(item),
                         .input_hash = input.hash(),
                         .input = shown,
                         .time = time};
    session_->begin(call);
  }

  void end_call(Json item, std::optional<Time> time) {
    const Json output = item["output"];
    const std::string text = output.is_object() ? text_or_json(output["content"], kMostOutput)
                                                : text_of_blocks(output, "\n");
    CallEnd result = result_of_text(text);
    if (const auto success = output["success"].boolean())
      result.outcome = *success ? Outcome::success : Outcome::failure;
    std::string held;
    if (text.starts_with('{')) {
      const Json inside = parser_.parse(text);
      if (const auto code = inside["metadata"]["exit_code"].integer()) {
        result.exit_code = code;
        result.outcome = outcome_of_code(code);
        held = inside.text_of("output");
        result.error = held;
      }
    }
    if (result.outcome == Outcome::unknown && !result.refused && !still_runs(text))
      result.outcome = outcome_of_output(text, errors_);
    result.time = time;
    events_->set_refused(result.refused);
    if (const std::string_view id = id_of(item); !id.empty()) session_->end(id, result);
  }

  static constexpr std::size_t kMostOutput = 1u << 20;
  Reading& reading_;
  const ErrorPatterns& errors_;
  Session* session_ = nullptr;
  std::optional<CodexEvents> events_;
  JsonParser parser_;
  std::int64_t hosted_ = 0;
  bool has_items_ = false;
};

// `codex exec --json`: threads, turns and items.
class ExecReader {
 public:
  explicit ExecReader(Reading& reading) : reading_(reading) { begin_session(); }

  void read(Json value) {
    if (value["msg"].is_object()) return read_old(value["msg"]);
    const std::string_view type = value.text_of("type");
    if (type.empty()) session_->asked(value.text_of("prompt"));  // until September 2025
    if (type == "thread.started") name_session(value.text_of("thread_id"));
    session_->seen(time_of(value["timestamp"]));
    if (type == "turn.completed") {
      session_->spent("", session_->model(), codex_tokens(value["usage"]));
      session_->ended(false);
    }
    if (type == "turn.failed" || type == "error") session_->ended(true);
    if (type.starts_with("item.")) read_item(value["item"], type == "item.completed");
  }

 private:
  void begin_session() {
    session_ = &reading_.new_session();
    session_->facts().agent = "Codex";
    events_.emplace(*session_);
  }
  void name_session(std::string_view id) {
    if (session_->used() && id != session_->facts().id) begin_session();
    reading_.name(*session_, id);
  }

  void read_item(Json item, bool completed) {
    const std::string_view type = item.text_of("type"), id = item.text_of("id");
    if (type == "agent_message" && completed) session_->answered(item.text_of("text"));
    const bool is_call =
        type == "command_execution" || type == "file_change" || type == "mcp_tool_call";
    if (!is_call) return;
    const Json input = type == "command_execution" ? item["command"]
                       : type == "file_change"     ? item["changes"]
                                                   : item["arguments"];
    const std::string shown = shown_input(*session_, input);
    const std::string_view tool = item.text_of("tool");
    session_->begin({.name = tool.empty() ? (type == "file_change" ? "apply_patch" : type) : tool,
                     .id = id,
                     .input_hash = input.hash(),
                     .input = shown});
    if (!completed) return;
    const auto code = item["exit_code"].integer();
    const std::string_view status = item.text_of("status");
    const Outcome by_status = status == "completed" ? Outcome::success
                              : status == "failed"  ? Outcome::failure
                                                    : Outcome::unknown;
    const std::string error = type == "command_execution"
                                  ? std::string(item.text_of("aggregated_output"))
                                  : text_or_json(item["error"]);
    session_->end(id, {.outcome = code ? outcome_of_code(code) : by_status,
                       .exit_code = code,
                       .error = error,
                       .refused = status == "declined"});
  }

  // Until September 2025: `{id, msg}` with events.
  void read_old(Json event) {
    const std::string_view type = event.text_of("type");
    if (type == "session_configured") {
      name_session(event.text_of("session_id"));
      session_->modelled(event.text_of("model"));
    }
    if (type == "exec_command_begin" || type == "mcp_tool_call_begin" ||
        type == "patch_apply_begin") {
      const Json input = type == "exec_command_begin"    ? event["command"]
                         : type == "mcp_tool_call_begin" ? event["invocation"]
                                                         : event["changes"];
      const std::string shown = shown_input(*session_, input);
      session_->begin({.name = type == "exec_command_begin"    ? "shell"
                               : type == "mcp_tool_call_begin" ? "mcp"
                                                               : "apply_patch",
                       .id = event.text_of("call_id"),
                       .input_hash = input.hash(),
                       .input = shown});
    }
    if (type == "patch_apply_end")
      session_->end(event.text_of("call_id"),
                    {.outcome = event.is_true("success") ? Outcome::success : Outcome::failure,
                     .error = event.text_of("stderr")});
    if (type == "token_count" && !event["info"].there() && event["input_tokens"].there())
      return session_->counted(session_->model(), codex_tokens(event));
    events_->read(event, std::nullopt);
  }

  Reading& reading_;
  Session* session_ = nullptr;
  std::optional<CodexEvents> events_;
};

}  // namespace

bool is_codex(const Shape& shape) {
  if (shape.has("payload", '{'))
    return shape.is_one_of("type", {"session_meta", "turn_context", "response_item", "event_msg",
                                    "compacted", "world_state"});
  if (shape.has("instructions") && shape.has("id") && shape.has("timestamp") && !shape.has("type"))
    return true;
  return shape.text("record_type") == "state" ||
         (shape.is_one_of("type", {"function_call", "function_call_output"}) &&
          shape.has("call_id"));
}

bool is_codex_exec(const Shape& shape) {
  if (shape.has("msg.type"))
    return shape.has("id") || shape.text("msg.type") == "session_configured";
  return shape.is_one_of("type", {"thread.started", "turn.started", "turn.completed", "turn.failed",
                                  "item.started", "item.updated", "item.completed"});
}

void read_codex(base::Input input, Reading& reading) {
  CodexReader reader(reading);
  read_values(input, reading, [&](Json value) { reader.read(value); });
  reader.finish();
}

void read_codex_exec(base::Input input, Reading& reading) {
  ExecReader reader(reading);
  read_values(input, reading, [&](Json value) { reader.read(value); });
}

std::span<const Field> codex_fields() {
  static constexpr std::array kFields{
      Field{"tool call",
            "`response_item`: `function_call`, `custom_tool_call`, deduplicated by `call_id`; "
            "searches made by the model's service have no id and are not counted"},
      Field{"exit code",
            "in the output: `metadata.exit_code` if it is JSON; else `Process exited with code "
            "N`, `Exit code: N`; `exec_command_end`"},
      Field{"failure",
            "an exit code other than 0; else `failed in sandbox`, `execution error`, `command "
            "timed out`, `apply_patch verification failed`"},
      Field{"tokens",
            "`token_count`: `total_token_usage`, a running total that is logged repeatedly and may "
            "reset: its increases are added up; `input_tokens` includes cached tokens"},
      Field{"final answer",
            "the last assistant message, preferably of phase `final_answer`; else "
            "`last_agent_message`"},
      Field{"corrections", "`turn_aborted`; calls marked `rejected by user`"},
      Field{"retries", "`stream_error`; a failed call that is repeated"},
      Field{"model", "`turn_context`"},
      Field{"prompt",
            "the last `user_message` before the answer, or the last user message that Codex did "
            "not write itself"},
  };
  return kFields;
}

std::span<const Field> codex_exec_fields() {
  static constexpr std::array kFields{
      Field{"tool call",
            "`command_execution`, `file_change` and `mcp_tool_call` items, deduplicated by `id`"},
      Field{"outcome", "`exit_code`, else `status`; `declined` is a correction"},
      Field{"tokens", "`usage` of each `turn.completed`"},
      Field{"final answer", "the last `agent_message`"},
      Field{"prompt", "`prompt` in older streams; newer ones do not have it"},
      Field{"end", "`turn.failed`, `error`"},
  };
  return kFields;
}

}  // namespace vibe::trace
