// Archives for tests: whole ones, and ones that lie.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vibe::test {

struct Packed {
  std::string name, bytes;  // as they stand in the archive
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t unpacked = 0;
  std::uint16_t flags = 0;
  bool zip64 = false;      // its figures stand in the ZIP64 field
  std::int64_t moved = 0;  // added to its place in the directory
};

Packed stored(std::string name, std::string text);
Packed deflated(std::string name, const std::string& text);
Packed zstandard(std::string name, const std::string& text);

std::string make_zip(const std::vector<Packed>& members, bool zip64 = false);

}  // namespace vibe::test
