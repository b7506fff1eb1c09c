// Any bytes as the figures of a run: never a crash, and what is read is the same after writing and
// reading it back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "score/figures.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vibe::score;
  const auto samples = decode_figures(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!samples) {
    if (!samples.error().failed()) std::abort();
    return 0;
  }
  const std::string bytes = encode_figures(*samples);
  const auto again = decode_figures(bytes);
  if (!again || again->size() != samples->size() || encode_figures(*again) != bytes) std::abort();
  return 0;
}
