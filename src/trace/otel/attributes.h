// OtelAttributes: reads a span's attributes, under the names used by the GenAI conventions (old and
// new), OpenInference, Traceloop, Vercel, Google ADK and others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/json.h"
#include "trace/otel/keys.h"

namespace vibe::trace {

enum class OtelFact : std::uint8_t {
  kind,
  conversation,
  agent,
  model,
  input_tokens,
  output_tokens,
  cache_read,
  cache_write,
  tool,
  tool_name,
  call_id,
  tool_input,
  tool_status,
  exit_code,
  status_code,
  error_flag,
  error_type,
  error_text,
  prompt_form,
  answer_form,
  answer_text,
  output,
  resends,
  stage,
  count
};

enum class OtelKind : std::uint8_t { other, tool, agent, model };

// Views into the span, which must outlive them.
class OtelAttributes {
 public:
  void take_all(Json attributes);  // an object, or a list of keys and values
  void take(std::string_view key, Json value) { take(key, value, 0); }
  void take_kind(Json value);

  OtelKind kind() const { return kind_; }
  bool of_agent() const { return of_agent_; }  // has any attribute of agents and models
  Json operator[](OtelFact fact) const { return values_[fact]; }
  std::string_view view(OtelFact fact) const { return values_[fact].text().value_or(""); }
  std::string text(OtelFact fact) const { return std::string(view(fact)); }

 private:
  void take(std::string_view key, Json value, int depth);

  BestValues<OtelFact, static_cast<std::size_t>(OtelFact::count)> values_;
  OtelKind kind_ = OtelKind::other;
  bool of_agent_ = false;
};

}  // namespace vibe::trace
