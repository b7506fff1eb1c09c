// Any bytes as a compressed file: the result is the same however it is read, and never over the
// limits.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/unpack.h"

namespace {

struct Outcome {
  std::string text, problem;
  bool operator==(const Outcome&) const = default;
};

constexpr std::size_t kMost = 256u << 10;

Outcome read_all(const std::string& bytes, std::size_t piece,
                 const vibe::base::UnpackLimits& limits) {
  auto input = vibe::base::unpack(vibe::base::Input::of("fuzz", bytes), limits);
  if (!input) __builtin_trap();  // memory can always be read
  Outcome out;
  std::string buffer(piece, '\0');
  for (;;) {
    const auto got = input->read(buffer.data(), buffer.size());
    if (!got) out.problem = got.error().all().front().message;
    if (!got || *got == 0) break;
    out.text.append(buffer, 0, *got);
  }
  if (out.text.size() > std::max(kMost, bytes.size())) __builtin_trap();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const vibe::base::UnpackLimits limits{.unpacked = kMost};
  const Outcome whole = read_all(bytes, kMost + 1, limits), pieces = read_all(bytes, 61, limits);
  // over the limit, the amount read before depends on the pieces
  const bool too_much = whole.problem.find("unpacks to more than") != std::string::npos;
  if (too_much ? whole.problem != pieces.problem : whole != pieces) __builtin_trap();
  read_all(bytes, 4096, {.unpacked = kMost, .ratio = 10, .small = 1000});
  return 0;
}
