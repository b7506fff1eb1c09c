#include "trace/swe_agent.h"

#include <array>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::trace {

namespace {

std::string_view first_word(std::string_view command) {
  const std::string_view text = base::trim(command);
  return text.substr(0, text.find_first_of(" \t\r\n"));
}

class SweAgentReader {
 public:
  explicit SweAgentReader(Reading& reading) : session_(reading.new_session()) {
    session_.facts().agent = "SWE-agent";
  }

  void read_step(Json step) {
    const std::string_view action = step.text_of("action");
    session_.answered(step.text_of("response"));
    if (base::trim(action).empty()) return;
    // The log never says whether a step succeeded.
    session_.done({.name = first_word(action),
                   .input_hash = std::hash<std::string_view>{}(action),
                   .input = action},
                  {});
  }

  void read_info(Json info) {
    const Json stats = info["model_stats"];
    // `total_cost` is for all runs of the batch
    if (const auto cost = stats["instance_cost"].number()) session_.cost(*cost);
    if (stats["tokens_sent"].there())
      session_.spent("", "",
                     {.input = stats.count_of("tokens_sent"),
                      .output = stats.count_of("tokens_received"),
                      .cache_in_input = true});
    if (const auto status = info["exit_status"].text()) session_.ended(*status != "submitted");
    if (const auto version = info["swe_agent_version"].text())
      session_.facts().agent = fmt::format("SWE-agent {}", *version);
  }

  // The first user message that is not a demonstration is the task.
  void read_history(Json message) {
    if (message.text_of("role") != "user" || message.is_true("is_demo")) return;
    has_task_ = true;
    session_.tasked(text_of_blocks(message["content"]));
  }
  bool has_task() const { return has_task_; }

  void name(std::string_view environment) { session_.facts().id = environment; }

 private:
  Session& session_;
  bool has_task_ = false;
};

// `mini`: a conversation; the agent's commands are in its text or in tool calls.
class MiniReader {
 public:
  explicit MiniReader(Reading& reading) : session_(reading.new_session()) {
    session_.facts().agent = "mini-swe-agent";
  }

  void read_message(Json message) {
    const std::string_view role = message.text_of("role");
    const Json extra = message["extra"];
    const auto time = time_of(extra["timestamp"]);
    if (role == "user" && !open_ && message.text_of("tool_call_id").empty()) {
      session_.prompted(time);
      if (std::exchange(has_task_, true)) return;  // the program wrote later ones
      return session_.tasked(text_of_blocks(message["content"]));
    }
    session_.seen(time);
    if (role == "assistant") read_assistant(message, extra, time);
    if (role == "user" || role == "tool") read_result(message, extra, time);
    if (role == "exit") read_exit(extra);
  }

  void read_info(Json info) {
    const Json stats = info["model_stats"];
    if (const auto cost = stats["instance_cost"].number()) session_.cost(*cost);
    if (const auto model = info["config"]["model"]["model_name"].text()) session_.modelled(*model);
    if (const auto version = info["mini_version"].text())
      session_.facts().agent = fmt::format("mini-swe-agent {}", *version);
    read_exit(info);
  }

  void finish() {
    if (cost_ && !session_.facts().cost) session_.cost(*cost_);
  }

 private:
  void read_exit(Json info) {
    if (const auto status = info["exit_status"].text())
      session_.ended(*status != "Submitted" && *status != "submitted");
  }

  void read_assistant(Json message, Json extra, std::optional<Time> time) {
    open_ = false;  // an earlier command has no result
    const std::string text = text_of_blocks(message["content"]);
    session_.answered(text);
    if (const auto cost = extra["cost"].number()) cost_ = cost_.value_or(0) + *cost;
    const Json response = extra["response"], usage = response["usage"];
    if (usage.is_object()) {
      const Json details = usage["prompt_tokens_details"];
      session_.spent(response.text_of("id"), response.text_of("model"),
                     {.input = usage.count_of("prompt_tokens"),
                      .output = usage.count_of("completion_tokens"),
                      .cache_read = details.count_of("cached_tokens"),
                      .cache_in_input = true});
    }
    bool has_calls = false;
    message["tool_calls"].each([&](Json call) {
      has_calls = true;
      const Json arguments = call["function"]["arguments"];
      const std::string shown = shown_input(session_, arguments);
      session_.begin({.name = call["function"].text_of("name"),
                      .id = call.text_of("id"),
                      .input_hash = arguments.hash(),
                      .input = shown,
                      .time = time});
    });
    if (!has_calls) find_command(text, time);
  }

  // The command is the only fenced block of the answer.
  void find_command(std::string_view text, std::optional<Time> time) {
    const std::size_t fence = text.find("```");
    if (fence == std::string_view::npos) return;
    const std::size_t begin = text.find('\n', fence);
    if (begin == std::string_view::npos) return;
    const std::size_t end = text.find("\n```", begin);
    if (end == std::string_view::npos) return;
    const std::string_view command = text.substr(begin + 1, end - begin - 1);
    hash_ = std::hash<std::string_view>{}(command);
    session_.begin({.name = "bash", .input_hash = hash_, .input = command, .time = time});
    open_ = true;
  }

  void read_result(Json message, Json extra, std::optional<Time> time) {
    const std::string text = text_of_blocks(message["content"]);
    auto code = exit_code_of(extra["returncode"]);
    if (!code) code = code_in(text);
    const CallEnd end{.outcome = !code        ? Outcome::unknown
                                 : *code == 0 ? Outcome::success
                                              : Outcome::failure,
                      .exit_code = code,
                      .error = text,
                      .time = time};
    if (const std::string_view id = message.text_of("tool_call_id"); !id.empty())
      return session_.end(id, end);
    if (!open_ || !code) return;  // the output of the last command is the submission
    session_.end_unnamed({.name = "bash", .input_hash = hash_}, end);
    open_ = false;
  }

  static std::optional<std::int64_t> code_in(std::string_view text) {
    constexpr std::string_view kOpen = "<returncode>";
    const std::size_t at = text.find(kOpen);
    if (at == std::string_view::npos) return std::nullopt;
    text.remove_prefix(at + kOpen.size());
    return base::parse_integer(base::trim(text.substr(0, text.find('<'))));
  }

  Session& session_;
  std::uint64_t hash_ = 0;  // of the last command
  bool open_ = false;       // it waits for its result
  bool has_task_ = false;
  std::optional<double> cost_;
};

}  // namespace

bool is_swe_agent(const Shape& shape) {
  return shape.has("trajectory", '[') && (shape.has("trajectory.action") || shape.has("info"));
}

void read_swe_agent(base::Input input, Reading& reading) {
  JsonParser parser;
  std::string text;
  read_documents(input, reading, [&](base::JsonStream& stream) {
    SweAgentReader reader(reading);
    stream.object([&](std::string_view key) {
      if (key == "trajectory")
        stream.array([&] { reader.read_step(take(stream, reading, parser, text)); });
      else if (key == "history")
        stream.array([&] {
          if (!reader.has_task()) reader.read_history(take(stream, reading, parser, text));
        });
      else if (key == "info")
        reader.read_info(take(stream, reading, parser, text));
      else if (key == "environment")
        reader.name(take(stream, reading, parser, text).text().value_or(""));
    });
  });
}

std::span<const Field> swe_agent_fields() {
  static constexpr std::array kFields{
      Field{"tool call", "`trajectory[]`: `action`, whose first word is the tool"},
      Field{"outcome", "unknown: a step has neither an exit code nor a flag"},
      Field{"tokens", "`info.model_stats`: `tokens_sent`, `tokens_received`"},
      Field{"cost", "`info.model_stats.instance_cost` (`total_cost` is for the whole batch)"},
      Field{"prompt", "`history[]`: the first user message that is not a demonstration"},
      Field{"final answer", "`response` of the last step"},
      Field{"end", "`info.exit_status`: anything but `submitted` is an error"},
  };
  return kFields;
}

bool is_mini_swe_agent(const Shape& shape) {
  if (shape.has("trajectory") || shape.has("sessionId") || shape.has("session_id")) return false;
  if (shape.has("messages", '[') && shape.has("messages.role"))
    return shape.has("info") || shape.has("trajectory_format");
  return shape.has("role", '"') && shape.has("content") && !shape.has("type") &&
         !shape.has("timestamp");
}

void read_mini_swe_agent(base::Input input, Reading& reading) {
  JsonParser parser;
  std::string text;
  base::JsonStream stream(input);
  for (char next = stream.next(); next != 0; next = stream.next()) {
    MiniReader reader(reading);
    const auto read_messages = [&] {
      stream.array([&] { reader.read_message(take(stream, reading, parser, text)); });
    };
    if (next == '[')
      read_messages();
    else if (next != '{')
      stream.skip();
    else
      stream.object([&](std::string_view key) {
        if (key == "messages") read_messages();
        if (key == "info") reader.read_info(take(stream, reading, parser, text));
      });
    reader.finish();
  }
  check_end(stream, reading);
}

std::span<const Field> mini_swe_agent_fields() {
  static constexpr std::array kFields{
      Field{"tool call",
            "assistant `messages[]`: `tool_calls`, else the command in the fenced block"},
      Field{"exit code",
            "`extra.returncode` in the result; in older logs `<returncode>N</returncode>` in the "
            "text"},
      Field{"times", "`extra.timestamp`"},
      Field{"tokens", "`extra.response.usage`"},
      Field{"cost", "`info.model_stats.instance_cost`, else the sum of `extra.cost`"},
      Field{"prompt", "the first user message"},
      Field{"final answer", "the last assistant message"},
      Field{"end", "`info.exit_status`: anything but `Submitted` is an error"},
  };
  return kFields;
}

}  // namespace vibe::trace
