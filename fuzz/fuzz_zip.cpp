// Any bytes as a zip archive: every member is unpacked, up to small limits.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/zip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vibe::base;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  const ZipLimits limits{.archive = 1u << 20, .members = 100, .unpacked = 1u << 20};
  const auto zip = Zip::open(Input::of("fuzz.zip", std::move(bytes)), limits);
  if (!zip) return 0;
  for (const auto& member : zip->members()) {
    const auto source = zip->read(member);
    if (!source) continue;
    std::size_t total = 0;
    char buffer[4096];
    for (;;) {
      const auto got = (*source)->read(buffer, sizeof buffer);
      if (!got || *got == 0) break;
      total += *got;
    }
    if (total > member.unpacked) __builtin_trap();
  }
  return 0;
}
