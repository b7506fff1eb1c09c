// Unpack: reads files that are compressed with gzip or zstd. They are recognised by their first
// bytes, never by their name; a compressed file inside a compressed file is not unpacked. zip.h
// reads archives.
//
// For files from any source: a file that unpacks to more than the limits is refused while it is
// read.
#pragma once

#include <cstdint>

#include "base/file.h"

namespace vibe::base {

struct UnpackLimits {
  std::uint64_t unpacked = std::uint64_t{16} << 30;  // bytes
  std::uint64_t ratio = 1000;                        // unpacked to packed, for a file over `small`
  std::uint64_t small = std::uint64_t{64} << 20;
};

// An input of the same name that unpacks while it is read; an input that is not compressed is
// returned as it is. Damage and an early end are Code::bad_archive, a file over the limits is
// Code::too_large. Both are reported when they are reached, after the data before them.
Result<Input> unpack(Input input, const UnpackLimits& limits = {});

}  // namespace vibe::base
