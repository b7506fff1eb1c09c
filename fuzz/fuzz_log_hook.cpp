// Any bytes as a hook log: several threads, and the faster way without a list of calls, give the
// same result as one thread.
#include "read_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vibe;
  fuzz::check_log("hook", data, size);
  const trace::LogFormat& hook = *trace::find_format("hook");
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto one = fuzz::read_log(hook, bytes);
  if (fuzz::written(fuzz::read_log(hook, bytes, 3)) != fuzz::written(one)) __builtin_trap();
  if (fuzz::written(fuzz::read_log(hook, bytes, 1, false), false) != fuzz::written(one, false))
    __builtin_trap();
  return 0;
}
