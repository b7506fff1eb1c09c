// Any bytes as results, in whatever format is detected.
#include <cstddef>
#include <cstdint>
#include <string>

#include "results/results.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vibe;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const bool mixed : {false, true}) {
    score::Samples samples;
    base::Diagnostics out;
    results::Choice choice;
    if (mixed) choice.provider = choice.prompt = "*";
    const bool good = results::read(base::Input::of("fuzz", bytes), choice, samples, out);
    if (good && samples.size() == 0) __builtin_trap();
  }
  return 0;
}
