// OpenTelemetry: agent spans, as OTLP JSON (one document, or one per line), Tempo, Jaeger and
// Zipkin exports, span lists written by SDKs, and nested `child_spans`. A trace is a session.
#pragma once

#include "trace/format.h"

namespace vibe::trace {

bool is_otel(const Shape& shape);
void read_otel(base::Input input, Reading& reading);
std::span<const Field> otel_fields();

}  // namespace vibe::trace
