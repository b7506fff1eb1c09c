// OtelSpan: what one span says, whichever way it is written: OTLP, Jaeger or flat; attributes of
// the GenAI conventions, OpenInference, Traceloop, Vercel or Google ADK. Of itself only: what
// depends on other spans is for OtelTraces.
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
  std::string name, call_id;     // the id is empty where the span has none
  std::uint64_t input_hash = 0;  // 0: the span does not tell the input
  std::string input;             // to be shown
  std::optional<std::int64_t> exit_code;
  bool failed = false;
};

struct OtelSpan {
  std::string trace_id, span_id, parent_id, conversation;
  std::string agent, service, model;
  std::optional<Time> start, end;
  bool has_error = false;  // by its status or an attribute
  std::string error;       // what it says of that
  std::optional<Tokens> tokens;
  std::optional<OtelTool> tool;
  enum class Source : std::uint8_t { none, agent, model };  // the later one is the better
  Source answer_of = Source::none;
  std::string answer, prompt;  // the prompt: of the answer, where it is known
  bool resent = false;         // the request had failed before
  bool of_agent = false;       // it has attributes of the conventions for agents and models
  bool provisional = false;    // told again when it has ended
};

class OtelSpanReader {
 public:
  OtelSpan read(Json span);

 private:
  JsonParser inner_;  // for JSON in texts
};

// What a member of an object is, by its key.
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
  processes,  // of a trace of Jaeger
  holder,     // holds spans further down
  spans,
  children,
  other
};
std::string otel_normal_key(std::string_view key);  // in lower case, without `_`, `-` and `.`
OtelKey otel_key(std::string_view key);

bool is_otel_span(Json object);              // by its ids
std::string otel_service_of(Json resource);  // its name; empty: not known

}  // namespace vibe::trace
