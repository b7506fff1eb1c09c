// Any bytes as an Inspect log: JSON or a zip archive.
#include "read_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  vibe::fuzz::check_log("inspect", data, size);
  return 0;
}
