#include "trace/otel/attributes.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "trace/otel/value.h"

namespace vibe::trace {

namespace {

constexpr KeyTable kFacts({
    Key<OtelFact>{"gen_ai.operation.name", OtelFact::kind},
    {"openinference.span.kind", OtelFact::kind},
    {"ai.operationId", OtelFact::kind},
    {"traceloop.span.kind", OtelFact::kind},
    {"langfuse.observation.type", OtelFact::kind},
    {"langsmith.span.kind", OtelFact::kind},
    {"mlflow.spanType", OtelFact::kind},

    {"gen_ai.conversation.id", OtelFact::conversation},
    {"session.id", OtelFact::conversation},
    {"gen_ai.agent.name", OtelFact::agent},
    {"agent.name", OtelFact::agent},
    {"agent_name", OtelFact::agent},
    {"gen_ai.response.model", OtelFact::model},
    {"gen_ai.request.model", OtelFact::model},
    {"llm.model_name", OtelFact::model},
    {"ai.response.model", OtelFact::model},
    {"ai.model.id", OtelFact::model},
    {"llm.response.model", OtelFact::model},
    {"llm.request.model", OtelFact::model},

    {"gen_ai.usage.input_tokens", OtelFact::input_tokens},
    {"gen_ai.usage.prompt_tokens", OtelFact::input_tokens},
    {"llm.token_count.prompt", OtelFact::input_tokens},
    {"llm.usage.prompt_tokens", OtelFact::input_tokens},
    {"llm.usage.input_tokens", OtelFact::input_tokens},
    {"ai.usage.promptTokens", OtelFact::input_tokens},
    {"gen_ai.usage.output_tokens", OtelFact::output_tokens},
    {"gen_ai.usage.completion_tokens", OtelFact::output_tokens},
    {"llm.token_count.completion", OtelFact::output_tokens},
    {"llm.usage.completion_tokens", OtelFact::output_tokens},
    {"llm.usage.output_tokens", OtelFact::output_tokens},
    {"ai.usage.completionTokens", OtelFact::output_tokens},
    {"gen_ai.usage.cache_read.input_tokens", OtelFact::cache_read},
    {"gen_ai.usage.cache_read_input_tokens", OtelFact::cache_read},
    {"gen_ai.usage.input_tokens.cached", OtelFact::cache_read},
    {"gen_ai.usage.details.cache_read_tokens", OtelFact::cache_read},
    {"llm.token_count.prompt_details.cache_read", OtelFact::cache_read},
    {"gen_ai.usage.cache_creation.input_tokens", OtelFact::cache_write},
    {"gen_ai.usage.cache_creation_input_tokens", OtelFact::cache_write},
    {"gen_ai.usage.cache_write_input_tokens", OtelFact::cache_write},
    {"gen_ai.usage.input_tokens.cache_write", OtelFact::cache_write},
    {"gen_ai.usage.details.cache_write_tokens", OtelFact::cache_write},
    {"llm.token_count.prompt_details.cache_write", OtelFact::cache_write},

    {"gen_ai.tool.name", OtelFact::tool},
    {"tool.name", OtelFact::tool_name},
    {"ai.toolCall.name", OtelFact::tool_name},
    {"traceloop.entity.name", OtelFact::tool_name},
    {"gen_ai.tool.call.id", OtelFact::call_id},
    {"ai.toolCall.id", OtelFact::call_id},
    {"tool_call.id", OtelFact::call_id},
    {"gen_ai.tool.call.arguments", OtelFact::tool_input},
    {"ai.toolCall.args", OtelFact::tool_input},
    {"gcp.vertex.agent.tool_call_args", OtelFact::tool_input},
    {"tool_arguments", OtelFact::tool_input},
    {"input.value", OtelFact::tool_input},
    {"traceloop.entity.input", OtelFact::tool_input},
    {"gen_ai.tool.status", OtelFact::tool_status},
    {"tool.status", OtelFact::tool_status},
    {"process.exit.code", OtelFact::exit_code},

    {"otel.status_code", OtelFact::status_code},
    {"error", OtelFact::error_flag},
    {"error.type", OtelFact::error_type},
    {"otel.status_description", OtelFact::error_text},
    {"exception.message", OtelFact::error_text},
    {"error.message", OtelFact::error_text},

    {"gen_ai.input.messages", OtelFact::prompt_form},
    {"ai.prompt.messages", OtelFact::prompt_form},
    {"gen_ai.output.messages", OtelFact::answer_form},
    {"llm.completions.0.content", OtelFact::answer_form},
    {"llm.output_messages.0.message.content", OtelFact::answer_text},
    {"llm.output_messages.0.message.contents.0.message_content.text", OtelFact::answer_text},
    {"ai.response.text", OtelFact::answer_text},
    {"ai.response.object", OtelFact::answer_text},
    {"output.value", OtelFact::output},
    {"final_result", OtelFact::output},
    {"traceloop.entity.output", OtelFact::output},

    {"http.request.resend_count", OtelFact::resends},
    {"http.resend_count", OtelFact::resends},
    {"logfire.span_type", OtelFact::stage},
});

constexpr std::array<std::string_view, 9> kAgentPrefixes{
    "gen_ai.",           "llm.",      "ai.",        "openinference.", "traceloop.",
    "gcp.vertex.agent.", "langfuse.", "langsmith.", "mlflow."};

struct KindName {
  std::string_view name;  // in lower case
  OtelKind kind;
};
constexpr std::array kKinds{KindName{"execute_tool", OtelKind::tool},
                            KindName{"tool", OtelKind::tool},
                            KindName{"ai.toolcall", OtelKind::tool},
                            KindName{"invoke_agent", OtelKind::agent},
                            KindName{"agent", OtelKind::agent},
                            KindName{"workflow", OtelKind::agent},
                            KindName{"llm", OtelKind::model},
                            KindName{"chat", OtelKind::model},
                            KindName{"generate_content", OtelKind::model},
                            KindName{"text_completion", OtelKind::model},
                            KindName{"generation", OtelKind::model}};

OtelKind kind_of(Json value) {
  std::string name = base::lower_ascii(value.text().value_or(""));
  std::erase(name, '"');
  for (const auto& row : kKinds)
    if (row.name == name) return row.kind;
  return OtelKind::other;
}

bool is_of_agent(std::string_view key) {
  return std::any_of(kAgentPrefixes.begin(), kAgentPrefixes.end(),
                     [&](std::string_view prefix) { return key.starts_with(prefix); });
}

}  // namespace

void OtelAttributes::take_all(Json attributes) {
  each_otel_attribute(attributes, [&](std::string_view key, Json value) { take(key, value, 0); });
}

void OtelAttributes::take_kind(Json value) {
  const OtelKind kind = kind_of(value);
  if (kind != OtelKind::other && kind_ != OtelKind::tool) kind_ = kind;
}

void OtelAttributes::take(std::string_view key, Json value, int depth) {
  constexpr int kMostDepth = 8;
  value = otel_plain(value);
  of_agent_ = of_agent_ || is_of_agent(key);
  if (const auto* row = kFacts.find(key)) {
    if (row->what == OtelFact::kind) take_kind(value);
    return values_.take(row->what, row->rank, value);
  }
  if (depth > kMostDepth || (!value.is_object() && !value.is_array())) return;
  const std::string prefix = std::string(key) + ".";  // some exporters nest dotted keys as objects
  if (!kFacts.any_begins_with(prefix)) return;
  value.members([&](std::string_view name, Json inner) {
    take(prefix + std::string(name), inner, depth + 1);
  });
  if (const Json first = value.at(0); first.there()) take(prefix + "0", first, depth + 1);
}

}  // namespace vibe::trace
