#include "trace/otel/otel.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "trace/otel/span.h"
#include "trace/otel/traces.h"

namespace vibe::trace {

namespace {

using Number = OtelTraces::Number;

// What is known when an object begins.
struct Scope {
  std::string trace_id;
  std::string service;
  Number around = OtelTraces::kNone;  // the enclosing span
  bool is_span = false;               // known from its position
};

class OtelReader {
 public:
  explicit OtelReader(Reading& reading)
      : reading_(reading), traces_(reading.options().keep_calls) {}

  void read(Json value, const Scope& scope = {}) {
    if (value.is_object()) return read_object(value, scope);
    value.each([&](Json item) { read(item, scope); });
  }

  // The same for objects that do not fit into memory.
  void read(base::JsonStream& stream, const Scope& scope = {}) {
    if (stream.next() == '{') return read_object(stream, scope);
    stream.array([&] { read(stream, scope); });
  }

  void finish(Reading& reading) { traces_.finish(reading); }

 private:
  void read_object(Json object, const Scope& outer) {
    Scope inside = outer;
    object.members([&](std::string_view key, Json value) { note(otel_key(key), value, inside); });
    inside.is_span = outer.is_span || is_otel_span(object);
    if (inside.is_span) {
      inside.around = traces_.reserve();
      add(object, inside, inside.around, outer.around);
    }
    object.members([&](std::string_view key, Json value) {
      if (const auto scope = scope_of(otel_key(key), inside)) read(value, *scope);
    });
  }

  // Collects the span's own members; its children, which may come before some of them, are read on
  // the way.
  void read_object(base::JsonStream& stream, const Scope& outer) {
    Scope inside = outer;
    const Number number = traces_.reserve();
    bool has_children = false;
    std::string own;
    const bool whole = stream.object([&](std::string_view name) {
      const OtelKey key = otel_key(name);
      if (auto scope = scope_of(key, inside)) {
        has_children = true;
        if (inside.is_span) scope->around = number;
        return read(stream, *scope);
      }
      if (key == OtelKey::other || key == OtelKey::holder) return;
      const Json value = take(stream, reading_, parser_, text_);
      note(key, value, inside);
      if (key == OtelKey::span_id) inside.is_span = true;
      if (!value.there()) return;
      own += own.empty() ? "{\"" : ",\"";
      own.append(name).append("\":").append(text_);
    });
    if (inside.service != outer.service) traces_.name_service(number, inside.service);
    // A truncated span is incomplete, but its children were complete.
    if (own.empty() || (!whole && !has_children)) return;
    const Json object = parser_.parse(own += '}');
    if (outer.is_span || is_otel_span(object)) add(object, inside, number, outer.around);
  }

  static void note(OtelKey key, Json value, Scope& scope) {
    if (key == OtelKey::trace_id) scope.trace_id = otel_id(value);
    if (key == OtelKey::processes)  // the first one wins
      value.members([&](std::string_view, Json process) {
        if (scope.service.empty()) scope.service = otel_service_of(process);
      });
    if (key == OtelKey::resource)
      if (std::string name = otel_service_of(value); !name.empty()) scope.service = std::move(name);
  }

  // The scope inside a member that contains spans; none for other members.
  static std::optional<Scope> scope_of(OtelKey key, const Scope& inside) {
    const bool are_spans = key == OtelKey::spans || key == OtelKey::children;
    if (!are_spans && (key != OtelKey::holder || inside.is_span)) return std::nullopt;
    Scope out = inside;
    out.is_span = are_spans;
    return out;
  }

  void add(Json object, const Scope& scope, Number number, Number around) {
    OtelSpan span = spans_.read(object);
    if (span.trace_id.empty()) span.trace_id = scope.trace_id;
    if (span.trace_id.empty()) span.trace_id = span.conversation;
    if (span.service.empty()) span.service = scope.service;
    traces_.add(std::move(span), number, around);
  }

  Reading& reading_;
  OtelSpanReader spans_;
  OtelTraces traces_;
  JsonParser parser_;
  std::string text_;
};

// Whether the first object does not end in the head: it is large, or truncated. An object that is
// truncated at the end of its line does not count: the next line begins like it.
bool goes_on(std::string_view head) {
  const std::size_t begin = head.find('{');
  if (begin == std::string_view::npos) return false;
  const std::string_view object = head.substr(begin);
  const std::string_view beginning = object.substr(0, object.find('"', object.find('"') + 1));
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < object.size(); ++at) {
    const char c = object[at];
    if (c == '\n' && (in_string || object.substr(at + 1).starts_with(beginning))) return false;
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      if (c == '\\') ++at;
    } else if (c == '{' || c == '[') {
      if (++depth > base::JsonStream::kMaxDepth) return true;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return false;
    }
  }
  return true;
}

constexpr std::array kTraceIds = std::to_array<std::string_view>(
    {"traceId", "trace_id", "traceID", "TraceId", "context.trace_id", "context.traceId",
     "spanContext.traceId", "spanContext.trace_id"});
constexpr std::array kSpanIds = std::to_array<std::string_view>(
    {"spanId", "span_id", "spanID", "SpanId", "context.span_id", "context.spanId",
     "spanContext.spanId", "spanContext.span_id"});

bool has_any(const Shape& shape, const std::string& at, std::span<const std::string_view> keys) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](std::string_view key) { return shape.has(at + std::string(key)); });
}

bool has_any(const Shape& shape, const std::string& at,
             std::initializer_list<std::string_view> keys) {
  return has_any(shape, at, std::span(keys.begin(), keys.size()));
}

bool is_span(const Shape& shape, const std::string& at) {
  if (has_any(shape, at, {"body", "_body", "severityNumber", "severity_number"}))
    return false;  // a log record
  if (!has_any(shape, at, kTraceIds)) return false;
  if (has_any(shape, at, kSpanIds))
    return has_any(shape, at, {"attributes", "span_attributes", "SpanAttributes", "tags"}) ||
           has_any(shape, at,
                   {"startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time",
                    "operationName", "spanContext", "parentSpanId"});
  return shape.has(at + "id") && shape.has(at + "timestamp") &&
         has_any(shape, at, {"tags", "attributes", "localEndpoint"});
}

bool holds_scopes(const Shape& shape, const std::string& at) {
  return has_any(shape, at, {"scopeSpans", "scope_spans", "instrumentationLibrarySpans"});
}

constexpr std::array kOtelFields{
    Field{"session", "the trace: `traceId`, else `gen_ai.conversation.id`, `session.id`"},
    Field{"tool call",
          "a span with `gen_ai.operation.name` = `execute_tool`, `openinference.span.kind` = "
          "`TOOL`, `ai.operationId` = `ai.toolCall`, `traceloop.span.kind` = `tool`, or with "
          "`gen_ai.tool.name`; deduplicated by `gen_ai.tool.call.id`"},
    Field{"tool",
          "`gen_ai.tool.name`, `tool.name`, `ai.toolCall.name`, `traceloop.entity.name`, "
          "else the span's name without `execute_tool `"},
    Field{"input", "`gen_ai.tool.call.arguments`, `ai.toolCall.args`, `input.value`"},
    Field{"failure",
          "status `2`, `ERROR` or `STATUS_CODE_ERROR`, `error.type`, an `exception` event, "
          "`gen_ai.tool.status` = `error`, `process.exit.code` other than "
          "0; else success"},
    Field{"error text", "the status message, `exception.message`, `error.type`"},
    Field{"tokens",
          "`gen_ai.usage.input_tokens` and `output_tokens` (older: `prompt_tokens`, "
          "`completion_tokens`), `llm.token_count.*`, `llm.usage.*`, `ai.usage.promptTokens`; only "
          "from the lowest spans that have them, because parent spans repeat the total"},
    Field{"cached tokens",
          "`gen_ai.usage.cache_read.input_tokens`, `cache_creation.input_tokens`, "
          "`llm.token_count.prompt_details.*`: part of the input"},
    Field{"model",
          "`gen_ai.response.model`, `gen_ai.request.model`, `llm.model_name`, "
          "`ai.model.id`"},
    Field{"agent", "`gen_ai.agent.name` of the agent that started first, else `service.name`"},
    Field{"times", "the start of the first span and the end of the last span, of any kind"},
    Field{"API retry", "a span with `http.request.resend_count` outside tool calls"},
    Field{"prompt",
          "from the span of the final answer: the last user message in `gen_ai.input.messages`, "
          "`ai.prompt.messages`"},
    Field{"final answer",
          "from the model span that ends last: `gen_ai.output.messages`, "
          "`llm.output_messages.0.message.content`, `ai.response.text`, a `gen_ai.choice` event; "
          "else the agent's `output.value`"},
    Field{"ended in error", "the root span's status"},
};

}  // namespace

bool is_otel(const Shape& shape) {
  if (shape.has("resourceSpans", '[') || shape.has("resource_spans", '[')) return true;
  if (shape.has("batches", '[') && holds_scopes(shape, "batches.")) return true;
  if (has_any(shape, "trace.", {"resourceSpans", "resource_spans", "batches"})) return true;
  if (holds_scopes(shape, "")) return true;
  if (shape.has("data.traceID") && shape.has("data.spans", '[')) return true;
  if (shape.has("spans", '[') &&
      (has_any(shape, "", kTraceIds) || has_any(shape, "spans.", kTraceIds)))
    return true;
  return is_span(shape, "") || is_span(shape, "data.") || is_span(shape, "spans.");
}

void read_otel(base::Input input, Reading& reading) {
  constexpr std::size_t kHead = std::size_t{4} << 20;
  OtelReader reader(reading);
  const auto head = input.peek(kHead);
  if (!head) return reading.add_problem(head.error());
  if (goes_on(*head)) {
    base::JsonStream stream(input);
    while (stream.next() == '{' || stream.next() == '[') reader.read(stream);
    if (stream.next() != 0) reading.add_bad_line(stream.line());
    check_end(stream, reading);
  } else {
    read_values(input, reading, [&](Json value) { reader.read(value); });
  }
  reader.finish(reading);
}

std::span<const Field> otel_fields() { return kOtelFields; }

}  // namespace vibe::trace
