// Unpack: files packed by gzip or zstd, read as if they were not. Known by their first bytes, never
// by their name; a packed file inside a packed file stays as it is. Archives are zip.h's.
//
// For files of any origin: what unpacks to more than the limits is refused while it is read.
#pragma once

#include <cstdint>

#include "base/file.h"

namespace vibe::base {

struct UnpackLimits {
  std::uint64_t unpacked = std::uint64_t{16} << 30;  // bytes
  std::uint64_t ratio = 1000;                        // unpacked to packed, of a file over `small`
  std::uint64_t small = std::uint64_t{64} << 20;
};

// An input of the same name that unpacks while it is read; one that is not packed comes back as it
// is. Damage and an early end are Code::bad_archive, a file over the limits is Code::too_large,
// when they are reached: what comes before is read first.
Result<Input> unpack(Input input, const UnpackLimits& limits = {});

}  // namespace vibe::base
