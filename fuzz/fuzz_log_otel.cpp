// Any bytes as OpenTelemetry spans.
#include "read_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  vibe::fuzz::check_log("otel", data, size);
  return 0;
}
