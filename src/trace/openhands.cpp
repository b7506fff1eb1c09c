#include "trace/openhands.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"

namespace vibe::trace {

namespace {

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Actions that do not call a tool: messages, thoughts, and control of the run.
constexpr auto kNoCalls = std::to_array<std::string_view>(
    {"message", "think", "finish", "reject", "system", "recall", "null", "summarize", "initialize",
     "start", "pause", "resume", "stop", "condensation", "condensation_request",
     "change_agent_state"});

// Observations that are not tool results.
constexpr auto kNoResults =
    std::to_array<std::string_view>({"null", "think", "recall", "message", "chat", "condense",
                                     "agent_state_changed", "microagent", "workspace_context"});

// Arguments of an action, or in old versions its siblings, that are not tool input.
constexpr auto kNoInput = std::to_array<std::string_view>(
    {"thought", "action", "id", "timestamp", "source", "message", "timeout", "is_confirmed",
     "confirmation_state", "action_risk", "security_risk", "tool_call_metadata", "llm_metrics"});

bool is_text(Json value) { return !value.text().value_or("").empty(); }
bool is_set(Json value) { return value.boolean().value_or(false) || is_text(value); }

std::string id_of(Json value) {
  const auto number = value.integer();
  if (number) return *number < 0 ? std::string() : fmt::format("{}", *number);
  return std::string(value.text().value_or(""));
}

std::string_view first_text(std::initializer_list<Json> values) {
  for (const Json value : values)
    if (is_text(value)) return *value.text();
  return {};
}

std::uint64_t hash_input(Json args) {
  std::uint64_t out = 0;
  args.members([&](std::string_view key, Json value) {
    if (!is_among(kNoInput, key))
      out += (std::hash<std::string_view>{}(key) ^ value.hash()) * 0x9E3779B97F4A7C15u;
  });
  return out;
}

std::string show_input(Json args) {
  base::JsonWriter json;
  json.begin_object();
  args.members([&](std::string_view key, Json value) {
    if (is_among(kNoInput, key) || json.text().size() > kMostShown) return;
    json.key(key);
    json.raw(value.dump(kMostShown));
  });
  json.end_object();
  return json.text();
}

Tokens openhands_tokens(Json usage) {
  const auto either = [&](std::string_view one, std::string_view other) {
    return std::max(usage.count_of(one), usage.count_of(other));
  };
  std::int64_t read = either("cache_read_tokens", "cache_read_input_tokens");
  if (read == 0) read = usage["prompt_tokens_details"].count_of("cached_tokens");
  return {.input = usage.count_of("prompt_tokens"),
          .output = usage.count_of("completion_tokens"),
          .cache_read = read,
          .cache_write = either("cache_write_tokens", "cache_creation_input_tokens"),
          .cache_in_input = true};
}

// Code -1: the command is still running.
CallEnd result_of_code(std::int64_t code) {
  if (code == -1) return {};
  return {.outcome = code == 0 ? Outcome::success : Outcome::failure, .exit_code = code};
}

std::optional<std::int64_t> stated_exit_code(Json value) {
  const auto code = exit_code_of(value["exit_code"]);
  return code ? code : exit_code_of(value["metadata"]["exit_code"]);
}

// The events of one session.
class OpenhandsEvents {
 public:
  // `has_totals`: the token usage is known from elsewhere.
  OpenhandsEvents(Session& session, const ErrorPatterns& errors, bool has_totals)
      : session_(session), errors_(errors), has_totals_(has_totals) {
    if (session_.facts().agent.empty()) session_.facts().agent = "OpenHands";
  }

  void read(Json event) {
    if (event.is_array())  // an action with its observation
      return event.each([&](Json one) { read(one); });
    const auto time = time_of(event["timestamp"]);
    const std::string_view kind = event.text_of("kind"), action = event.text_of("action"),
                           observation = event.text_of("observation");
    if (kind.empty() && action.empty() && observation.empty()) return;
    if (is_prompt(event, kind, action)) {
      session_.prompted(time);
      return session_.asked(prompt_of(event, kind));
    }
    session_.seen(time);
    if (!kind.empty()) return read_kind(kind, event, time);
    if (!has_totals_) read_usage(event);
    if (!action.empty()) return read_action(action, event, time);
    read_observation(observation, event, time);
  }

  void finish() {
    if (has_totals_ || has_counter_) return;
    for (const auto& [id, response] : responses_)
      session_.spent(id, response.first, response.second);
  }

 private:
  static bool is_prompt(Json event, std::string_view kind, std::string_view action) {
    return (kind == "MessageEvent" || action == "message") && event.text_of("source") == "user";
  }

  static std::string prompt_of(Json event, std::string_view kind) {
    if (!kind.empty()) return text_of_blocks(event["llm_message"]["content"]);
    return std::string(first_text({event["args"]["content"], event["content"], event["message"]}));
  }

  // V0: each action states the token usage of its model call; newer versions add a running total.
  void read_usage(Json event) {
    const Json response = event["tool_call_metadata"]["model_response"];
    if (const std::string_view id = response.text_of("id");
        !id.empty() && response["usage"].is_object()) {
      session_.modelled(response.text_of("model"));
      responses_.insert_or_assign(std::string(id), std::pair(std::string(response.text_of("model")),
                                                             openhands_tokens(response["usage"])));
    }
    if (const Json metrics = event["llm_metrics"]; metrics.is_object()) read_counter(metrics);
  }

  void read_counter(Json metrics) {
    const Json usage = metrics["accumulated_token_usage"];
    if (usage.is_object()) {
      std::string_view model = first_text({usage["model"], metrics["model_name"]});
      if (model.empty()) model = session_.model();
      session_.counted(model, openhands_tokens(usage));
      has_counter_ = true;
    }
    if (const auto cost = metrics["accumulated_cost"].number()) read_cost(*cost);
  }

  void read_cost(double total) {
    if (total > cost_) session_.add_cost(total - cost_);
    cost_ = total;
  }

  void read_action(std::string_view action, Json event, std::optional<Time> time) {
    const std::string_view source = event.text_of("source");
    const bool flat = !event["args"].is_object();  // as in evaluations of 2024
    const Json args = flat ? event : event["args"];
    if (action == "change_agent_state" && source == "user")
      return read_wish(args.text_of("agent_state"));
    if (source != "agent" && !source.empty()) return;
    if (action == "message" && !source.empty()) return session_.answered(args.text_of("content"));
    if (action == "finish" && !flat)
      return session_.answered(first_text(
          {args["final_thought"], args["thought"], args["outputs"]["content"], event["message"]}));
    if (action == "system" && is_text(args["agent_class"]))
      session_.facts().agent = args.text_of("agent_class");
    if (is_among(kNoCalls, action)) return;
    const std::string shown = session_.keeps_calls() ? show_input(args) : std::string();
    begin({.name = action, .input_hash = hash_input(args), .input = shown, .time = time},
          id_of(event["id"]));
  }

  // The id may be empty: not in the log.
  void begin(CallStart call, std::string id) {
    if (id.empty()) id = fmt::format("call {}", ++unnamed_);
    call.id = id;
    session_.begin(call);
    open_ = std::move(id);
  }

  // A result without an id belongs to the last call.
  void end(std::string id, CallEnd result, std::optional<Time> time) {
    if (id.empty()) id = open_;
    if (id.empty()) id = fmt::format("result {}", ++unnamed_);
    result.time = time;
    session_.end(id, result);
    if (id == open_) open_.clear();
  }

  void read_wish(std::string_view state) {
    if (state == "paused" || state == "stopped") session_.corrected();
  }

  void read_observation(std::string_view name, Json event, std::optional<Time> time) {
    const Json extras = event["extras"].is_object() ? event["extras"] : event;
    if (name == "agent_state_changed") read_state(extras.text_of("agent_state"));
    if (is_among(kNoResults, name)) return;
    const std::string id = id_of(event["cause"]);
    const bool is_agents = event["tool_call_metadata"].is_object();
    if (!is_agents && !session_.has_begun(id.empty() ? open_ : id)) return;  // not a call
    CallEnd result = result_of(name, event, extras);
    result.error = event.text_of("content");
    end(id, result, time);
  }

  CallEnd result_of(std::string_view name, Json event, Json extras) {
    const std::string_view content = event.text_of("content");
    if (name == "user_rejected") return {.refused = true};
    if (name == "error") return {.outcome = Outcome::failure};
    if (const auto code = stated_exit_code(extras)) return result_of_code(*code);
    const bool told = content.starts_with("ERROR:") || is_set(extras["error"]) ||
                      (name == "mcp" && is_mcp_error(content));
    if (told) return {.outcome = Outcome::failure};
    if (name == "run" || name == "run_ipython")
      return {.outcome = outcome_of_output(content, errors_)};
    return {.outcome = Outcome::success};
  }

  bool is_mcp_error(std::string_view content) {
    return content.starts_with('{') && parser_.parse(content).is_true("isError");
  }

  void read_state(std::string_view state) {
    if (state == "error") session_.ended(true);
    if (state == "finished" || state == "running") session_.ended(false);
  }

  // V1.
  void read_kind(std::string_view kind, Json event, std::optional<Time> time) {
    if (kind == "MessageEvent" && event.text_of("source") == "agent")
      session_.answered(text_of_blocks(event["llm_message"]["content"]));
    if (kind == "ActionEvent") read_action_event(event, time);
    if (kind == "ObservationEvent") {
      CallEnd result = result_of(event["observation"]);
      const std::string output = output_of(event["observation"]);
      result.error = output;
      end_event(event, result, time);
    }
    if (kind == "UserRejectObservation") {
      const bool by_hook = event.text_of("rejection_source") == "hook";
      end_event(event,
                {.outcome = by_hook ? Outcome::failure : Outcome::unknown,
                 .error = event.text_of("rejection_reason"),
                 .refused = !by_hook},
                time);
    }
    if (kind == "AgentErrorEvent")
      end_event(event, {.outcome = Outcome::failure, .error = event.text_of("error")}, time);
    if (kind == "ACPToolCallEvent") read_acp_call(event, time);
    if (kind == "PauseEvent" || kind == "InterruptEvent") session_.corrected();
    if (kind == "ConversationErrorEvent") session_.ended(true);
    if (kind == "ConversationStateUpdateEvent") read_update(event.text_of("key"), event["value"]);
  }

  void read_action_event(Json event, std::optional<Time> time) {
    const std::string_view tool = event.text_of("tool_name");
    const Json action = event["action"];
    if (tool == "finish") return session_.answered(action.text_of("message"));
    if (is_among(kNoCalls, tool)) return;
    const Json input = action.is_object() ? action : event["tool_call"]["arguments"];
    const std::string shown = shown_input(session_, input);
    begin({.name = tool, .input_hash = input.hash(), .input = shown, .time = time},
          std::string(first_text({event["tool_call_id"], event["id"]})));
  }

  void end_event(Json event, const CallEnd& result, std::optional<Time> time) {
    if (is_among(kNoCalls, event.text_of("tool_name"))) return;
    end(std::string(first_text({event["tool_call_id"], event["action_id"]})), result, time);
  }

  // `error` can be false although the command ended with a code.
  CallEnd result_of(Json observation) {
    const auto code = stated_exit_code(observation);
    CallEnd out = code ? result_of_code(*code) : CallEnd{};
    const Json flag =
        observation["is_error"].there() ? observation["is_error"] : observation["error"];
    if (is_set(flag)) {
      out.outcome = Outcome::failure;
    } else if (!code) {
      out.outcome =
          flag.there() ? Outcome::success : outcome_of_output(output_of(observation), errors_);
    }
    return out;
  }

  static std::string output_of(Json observation) {
    if (is_text(observation["error"])) return std::string(observation.text_of("error"));
    const Json content = observation["content"];
    return content.there() ? text_of_blocks(content, "\n")
                           : std::string(observation.text_of("output"));
  }

  // Third-party agents that OpenHands drives.
  void read_acp_call(Json event, std::optional<Time> time) {
    const std::string_view id = event.text_of("tool_call_id"), status = event.text_of("status");
    const std::string shown = shown_input(session_, event["raw_input"]);
    if (id.empty()) return;
    session_.begin({.name = first_text({event["title"], event["tool_kind"]}),
                    .id = id,
                    .input_hash = event["raw_input"].hash(),
                    .input = shown,
                    .time = time,
                    .sub_agent = event.text_of("parent_tool_call_id")});
    const bool failed = event.is_true("is_error") || status == "failed";
    if (!failed && status != "completed") return;
    const std::string error = text_or_json(event["raw_output"]);
    session_.end(
        id,
        {.outcome = failed ? Outcome::failure : Outcome::success, .error = error, .time = time});
  }

  // A change of the conversation state, or the full state.
  void read_update(std::string_view key, Json value) {
    const Json status = key == "full_state" ? value["execution_status"] : value;
    if (key == "execution_status" || key == "full_state") {
      const std::string_view text = status.text().value_or("");
      read_state(text == "stuck" ? "error" : text);
    }
    if (key == "full_state") session_.modelled(value["agent"]["llm"].text_of("model"));
    if (has_totals_ || (key != "stats" && key != "full_state")) return;
    const Json stats = key == "stats" ? value : value["stats"];
    if (stats["usage_to_metrics"].size() > 0) read_stats(stats["usage_to_metrics"]);
  }

  // Running totals of every component that calls models: the agent, the condenser, …
  void read_stats(Json by_use) {
    Tokens tokens{.cache_in_input = true};
    double cost = 0;
    std::string_view model;
    std::int64_t most = -1;
    by_use.members([&](std::string_view, Json metrics) {
      const Json usage = metrics["accumulated_token_usage"];
      const Tokens mine = openhands_tokens(usage);
      if (mine.input > most) {
        most = mine.input;
        model = first_text({metrics["model_name"], usage["model"]});
      }
      tokens.add(mine);
      cost += metrics["accumulated_cost"].number().value_or(0);
    });
    if (model.empty()) model = session_.model();
    session_.counted(model, tokens);
    has_counter_ = true;
    read_cost(cost);
  }

  Session& session_;
  const ErrorPatterns& errors_;
  bool has_totals_, has_counter_ = false;
  JsonParser parser_;
  std::string open_;  // the last call, until it has a result
  std::size_t unnamed_ = 0;
  double cost_ = 0;
  std::map<std::string, std::pair<std::string, Tokens>> responses_;  // model responses, by id
};

using Attempts = std::map<std::string, int>;  // by instance id

// A line of `output.jsonl`.
class Instance {
 public:
  Instance(Json value, Reading& reading, Attempts& ids)
      : value_(value), reading_(reading), session_(reading.session(unused_id(ids))) {}

  void read() {
    session_.seen(std::nullopt);
    const Json metadata = value_["metadata"], metrics = value_["metrics"];
    session_.facts().agent = metadata.text_of("agent_class");
    session_.modelled(first_text({metadata["llm_config"]["model"], metadata["llm"]["model"]}));
    const bool has_tokens = read_tokens(metrics);
    const auto cost = metrics["accumulated_cost"].number();
    OpenhandsEvents events(session_, reading_.options().errors, has_tokens);
    value_["history"].each([&](Json event) { events.read(event); });
    events.finish();
    session_.tasked(value_.text_of("instruction"));  // later prompts only say: continue
    if (cost) session_.cost(*cost);
    const Json error = value_["error"];
    if (error.there()) session_.ended(!error.is_null() && error.text() != "");
  }

 private:
  // An instance can be tried several times.
  std::string unused_id(Attempts& ids) const {
    std::string id = id_of(value_["instance_id"]);
    if (id.empty()) id = id_of(value_["issue"]["number"]);
    const auto [at, is_new] = ids.try_emplace(id, 1);
    if (is_new) return id;
    for (;;) {
      std::string out = fmt::format("{}#{}", id, ++at->second);
      if (ids.try_emplace(out, 1).second) return out;
    }
  }

  bool read_tokens(Json metrics) {
    const Json total = metrics["accumulated_token_usage"];
    const auto add = [&](Json usage) {
      const std::string_view model = first_text({usage["model"], metrics["model_name"]});
      session_.spent("", model.empty() ? session_.model() : model, openhands_tokens(usage));
    };
    if (openhands_tokens(total).any()) {
      add(total);
      return true;
    }
    metrics["token_usages"].each(add);
    return metrics["token_usages"].size() > 0;
  }

  Json value_;
  Reading& reading_;
  Session& session_;
};

constexpr std::array<std::string_view, 4> kLists{"history", "trajectory", "events", "items"};

class OpenhandsReader {
 public:
  explicit OpenhandsReader(Reading& reading) : reading_(reading) {}

  void read(Json value) {
    if (value["instance_id"].there() || value["issue"].is_object())
      return Instance(value, reading_, ids_).read();
    for (const std::string_view list : kLists)
      if (value[list].is_array()) return read_trajectory(value[list]);
    events().read(value);
  }

  void finish() {
    if (events_) events_->finish();
    events_.reset();
  }

 private:
  void read_trajectory(Json list) {  // each of several is a separate session
    finish();
    events_.emplace(reading_.new_session(), reading_.options().errors, false);
    list.each([&](Json event) { events_->read(event); });
    finish();
  }

  OpenhandsEvents& events() {
    if (!events_) events_.emplace(reading_.session(""), reading_.options().errors, false);
    return *events_;
  }

  Reading& reading_;
  Attempts ids_;
  std::optional<OpenhandsEvents> events_;
};

bool is_event(const Shape& shape, const std::string& before) {
  const auto path = [&](std::string_view name) { return before + std::string(name); };
  if (!shape.is_one_of(path("source"), {"agent", "user", "environment", "hook"})) return false;
  const std::string_view kind = shape.text(path("kind"));
  if (kind.ends_with("Event") || kind == "UserRejectObservation" ||
      kind.starts_with("Condensation"))
    return true;
  if (shape.has(path("llm_message"), '{') || shape.has(path("llm_response_id")) ||
      shape.has(path("system_prompt"), '{'))
    return true;  // `kind` comes last, and may be cut off
  return (shape.has(path("action"), '"') || shape.has(path("observation"), '"')) &&
         (shape.has(path("args"), '{') || shape.has(path("extras"), '{') ||
          shape.has(path("tool_call_metadata"), '{') ||
          (shape.has(path("id")) && shape.has(path("timestamp")) && shape.has(path("message"))));
}

bool is_instance(const Shape& shape) {
  if (!shape.has("instance_id") && !shape.has("issue.number")) return false;
  if (shape.has("trajectory") || shape.has("info")) return false;  // SWE-agent's
  return shape.has("metadata.max_iterations") ||
         (shape.has("history", '[') &&
          (shape.has("metrics") || shape.has("metadata") || shape.has("test_result") ||
           shape.has("git_patch") || shape.has("instruction")));
}

}  // namespace

bool is_openhands(const Shape& shape) {
  if (is_event(shape, "") || is_instance(shape)) return true;
  return std::any_of(kLists.begin(), kLists.end(), [&](std::string_view list) {
    return shape.has(list, '[') && is_event(shape, std::string(list) + ".");
  });
}

void read_openhands(base::Input input, Reading& reading) {
  OpenhandsReader reader(reading);
  read_values(input, reading, [&](Json value) { reader.read(value); });
  reader.finish();
}

std::span<const Field> openhands_fields() {
  static constexpr std::array kFields{
      Field{"execution",
            "a trajectory with all its events, or each line of an `output.jsonl`, named by "
            "`instance_id`, else `issue.number`"},
      Field{"tool call",
            "V0: agent actions that run something (not `message`, `think`, `finish`, `recall`, …), "
            "deduplicated by `id`; V1: `ActionEvent`, deduplicated by `tool_call_id`"},
      Field{"result",
            "V0: the observation whose `cause` is the action; V1: `ObservationEvent`, "
            "`AgentErrorEvent`"},
      Field{"exit code",
            "V0: `extras.metadata.exit_code`, `extras.exit_code`; V1: `observation.exit_code`; -1 "
            "means that the command is still running, so its outcome is unknown"},
      Field{"failure",
            "an exit code other than 0; V0: an `error` observation, content that begins with "
            "`ERROR:`, else an error pattern in a command's output; V1: `is_error`, `error`"},
      Field{"corrections",
            "`user_rejected`, `UserRejectObservation`; the user pauses or stops the agent"},
      Field{"tokens",
            "`metrics` in a line; else the increases of `llm_metrics`, or of `stats` in V1; else "
            "`usage` in each `model_response`; `prompt_tokens` includes cached tokens"},
      Field{"cost", "`accumulated_cost`"},
      Field{"final answer",
            "`finish`: `final_thought`, `thought`, V1 `message`; else the agent's last message"},
      Field{"prompt",
            "the last user message before the answer; in an `output.jsonl`, the line's "
            "`instruction`"},
      Field{"agent, model", "`agent_class`; `model` in the model's responses, else in `metadata`"},
      Field{"end", "`error` in a line; the agent state `error`; `ConversationErrorEvent`"},
  };
  return kFields;
}

}  // namespace vibe::trace
