// Any bytes as a log in whatever format is detected.
#include "read_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vibe;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto format = trace::tell_format(bytes, "fuzz"))
    fuzz::check_log((*format)->name, data, size);
  return 0;
}
