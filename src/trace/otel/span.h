// OtelSpan: the content of one span in any notation: OTLP, Jaeger or flat; attributes of the GenAI
// conventions, OpenInference, Traceloop, Vercel or Google ADK. Covers only the span itself:
// OtelTraces handles everything that depends on other spans.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/execution.h"
#include "trace/json.h"
#include "trace/otel/value.h"

namespace vibe::trace {

struct OtelTool {
  std::string name, call_id;     // the id is empty if the span has none
  std::uint64_t input_hash = 0;  // 0: the span does not have the input
  std::string input;             // for display
  std::optional<std::int64_t> exit_code;
  bool failed = false;
};

struct OtelSpan {
  std::string trace_id, span_id, parent_id, conversation;
  std::string agent, service, model;
  std::optional<Time> start, end;
  bool has_error = false;  // from its status or an attribute
  std::string error;       // the error message
  std::optional<Tokens> tokens;
  std::optional<OtelTool> tool;
  enum class Source : std::uint8_t { none, agent, model };  // the later the better
  Source answer_of = Source::none;
  std::string answer, prompt;  // the prompt of that answer, if known
  bool resent = false;         // the request failed before and was sent again
  bool of_agent = false;       // it has attributes of agents and models
  bool provisional = false;    // the span is reported again when it ends
};

class OtelSpanReader {
 public:
  OtelSpan read(Json span);

 private:
  JsonParser inner_;  // for JSON in texts
};

// The meaning of a member of an object, by its key.
enum class OtelKey : std::uint8_t {
  trace_id,
  span_id,
  id,
  parent_id,
  name,
  operation,
  context,
  parent_context,
  references,
  attributes,
  events,
  status,
  status_code,
  status_message,
  start_nano,
  end_nano,
  start,
  end,
  duration,
  duration_ms,
  service,
  resource,
  kind,
  processes,  // in a Jaeger trace
  holder,     // contains spans further down
  spans,
  children,
  other
};
std::string otel_normal_key(std::string_view key);  // in lower case, without `_`, `-` and `.`
OtelKey otel_key(std::string_view key);

bool is_otel_span(Json object);              // recognised by its ids
std::string otel_service_of(Json resource);  // its name; empty: not known

}  // namespace vibe::trace
