// OpenTelemetry: spans of agents, as OTLP JSON (one document, or one to a line), Tempo, Jaeger and
// Zipkin exports, lists of spans as SDKs write them, and nested `child_spans`. A trace is a
// session.
#pragma once

#include "trace/format.h"

namespace vibe::trace {

bool is_otel(const Shape& shape);
void read_otel(base::Input input, Reading& reading);
std::span<const Field> otel_fields();

}  // namespace vibe::trace
