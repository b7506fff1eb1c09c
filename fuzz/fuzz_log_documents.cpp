// Any bytes as each of the single-document formats, and as our own format.
#include "read_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const char* name :
       {"atif", "gemini", "mini-swe-agent", "openhands", "record", "swe-agent", "vibecheck"})
    vibe::fuzz::check_log(name, data, size);
  return 0;
}
