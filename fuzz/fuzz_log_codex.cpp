// Any bytes as Codex logs.
#include "read_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  vibe::fuzz::check_log("codex", data, size);
  vibe::fuzz::check_log("codex-exec", data, size);
  return 0;
}
