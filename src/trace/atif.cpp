#include "trace/atif.h"

#include <array>

#include <fmt/format.h>

namespace vibe::trace {

namespace {

class AtifReader {
 public:
  explicit AtifReader(Reading& reading)
      : session_(reading.new_session()), errors_(reading.options().errors) {}

  void read_agent(Json agent) {
    const std::string_view name = agent.text_of("name"), version = agent.text_of("version");
    session_.facts().agent =
        version.empty() ? std::string(name) : fmt::format("{} {}", name, version);
    session_.modelled(agent.text_of("model_name"));
  }

  void name(std::string_view id) { session_.facts().id = id; }

  void read_step(Json step) {
    const auto time = time_of(step["timestamp"]);
    const std::string_view source = step.text_of("source");
    if (source == "user") {
      session_.prompted(time);
      return session_.asked(text_of_blocks(step["message"]));
    }
    session_.seen(time);
    if (source != "agent") return;
    session_.answered(text_of_blocks(step["message"]));
    session_.modelled(step.text_of("model_name"));
    step["tool_calls"].each([&](Json call) { begin(call, time); });
    step["observation"]["results"].each([&](Json result) { end(result, time); });
    read_metrics(step["metrics"]);
  }

  void read_final(Json metrics) {
    if (const auto cost = metrics["total_cost_usd"].number()) session_.cost(*cost);
    total_ = {.input = metrics.count_of("total_prompt_tokens"),
              .output = metrics.count_of("total_completion_tokens"),
              .cache_read = metrics.count_of("total_cached_tokens"),
              .cache_in_input = true};
  }

  void finish() {
    if (!session_.facts().cost && cost_) session_.cost(*cost_);
    if (!spent_ && total_.any()) session_.spent("", session_.model(), total_);
  }

 private:
  void begin(Json call, std::optional<Time> time) {
    const Json input = call["arguments"];
    const std::string shown = shown_input(session_, input);
    session_.begin({.name = call.text_of("function_name"),
                    .id = call.text_of("tool_call_id"),
                    .input_hash = input.hash(),
                    .input = shown,
                    .time = time});
  }

  void end(Json result, std::optional<Time> time) {
    const std::string_view id = result.text_of("source_call_id");
    if (id.empty()) return;  // from the environment, not from a call
    const std::string text = text_of_blocks(result["content"]);
    session_.end(id, {.outcome = outcome_of_output(text, errors_), .error = text, .time = time});
  }

  void read_metrics(Json metrics) {
    const Tokens tokens{.input = metrics.count_of("prompt_tokens"),
                        .output = metrics.count_of("completion_tokens"),
                        .cache_read = metrics.count_of("cached_tokens"),
                        .cache_in_input = true};
    if (tokens.any()) session_.spent("", session_.model(), tokens);
    spent_ = spent_ || tokens.any();
    if (const auto cost = metrics["cost_usd"].number()) cost_ = cost_.value_or(0) + *cost;
  }

  Session& session_;
  const ErrorPatterns& errors_;
  bool spent_ = false;          // steps stated their usage
  std::optional<double> cost_;  // the sum over the steps
  Tokens total_;
};

}  // namespace

bool is_atif(const Shape& shape) {
  return shape.has("steps", '[') &&
         (shape.text("schema_version").starts_with("ATIF") || shape.has("steps.step_id"));
}

void read_atif(base::Input input, Reading& reading) {
  JsonParser parser;
  std::string text;
  read_documents(input, reading, [&](base::JsonStream& stream) {
    AtifReader reader(reading);
    stream.object([&](std::string_view key) {
      if (key == "session_id") reader.name(take(stream, reading, parser, text).text().value_or(""));
      if (key == "agent") reader.read_agent(take(stream, reading, parser, text));
      if (key == "steps")
        stream.array([&] { reader.read_step(take(stream, reading, parser, text)); });
      if (key == "final_metrics") reader.read_final(take(stream, reading, parser, text));
    });
    reader.finish();
  });
}

std::span<const Field> atif_fields() {
  static constexpr std::array kFields{
      Field{"tool call", "`steps[].tool_calls[]`, deduplicated by `tool_call_id`"},
      Field{"outcome",
            "an error pattern in `observation.results[].content`; the format has no flag"},
      Field{"times", "`steps[].timestamp`"},
      Field{"tokens", "`steps[].metrics`, else `final_metrics`"},
      Field{"cost", "`final_metrics.total_cost_usd`, else the sum of `metrics.cost_usd`"},
      Field{"prompt", "`message` of the user's last step before the answer"},
      Field{"final answer", "`message` of the agent's last step"},
  };
  return kFields;
}

}  // namespace vibe::trace
