#include "base/zip_builder.h"

#include <zlib.h>
#include <zstd.h>

namespace vibe::test {

namespace {

void put(std::string& out, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i, value >>= 8) out += static_cast<char>(value & 0xFF);
}

std::uint32_t crc_of(const std::string& text) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

}  // namespace

Packed stored(std::string name, std::string text) {
  Packed out{.name = std::move(name), .bytes = std::move(text)};
  out.crc = crc_of(out.bytes);
  out.unpacked = out.bytes.size();
  return out;
}

Packed deflated(std::string name, const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(text.size() + 1000, '\0');
  std::string copy = text;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return {.name = std::move(name),
          .bytes = packed,
          .method = 8,
          .crc = crc_of(text),
          .unpacked = text.size()};
}

Packed zstandard(std::string name, const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return {.name = std::move(name),
          .bytes = packed,
          .method = 93,
          .crc = crc_of(text),
          .unpacked = text.size()};
}

std::string make_zip(const std::vector<Packed>& members, bool zip64) {
  std::string out, directory;
  for (const auto& member : members) {
    const std::uint64_t offset = out.size() + static_cast<std::uint64_t>(member.moved);
    std::string extra;
    if (member.zip64) {
      put(extra, 1, 2);
      put(extra, 24, 2);
      put(extra, member.unpacked, 8);
      put(extra, member.bytes.size(), 8);
      put(extra, offset, 8);
    }
    const auto figure = [&](std::uint64_t value) { return member.zip64 ? 0xFFFFFFFFu : value; };
    put(directory, 0x02014b50, 4);
    put(directory, 20, 2);
    put(directory, 20, 2);
    for (std::string* to : {&out, &directory}) {
      if (to == &out) {
        put(out, 0x04034b50, 4);
        put(out, 20, 2);
      }
      put(*to, member.flags, 2);
      put(*to, member.method, 2);
      put(*to, 0, 4);
      put(*to, member.crc, 4);
      put(*to, figure(member.bytes.size()), 4);
      put(*to, figure(member.unpacked), 4);
      put(*to, member.name.size(), 2);
      put(*to, to == &out ? 0 : extra.size(), 2);
    }
    put(directory, 0, 2 + 2 + 2 + 4);  // comment, part, attributes
    put(directory, figure(offset), 4);
    directory += member.name + extra;
    out += member.name + member.bytes;
  }
  const std::uint64_t at = out.size();
  out += directory;
  if (zip64) {
    const std::uint64_t end = out.size();
    put(out, 0x06064b50, 4);
    put(out, 44, 8);
    put(out, 45, 2);
    put(out, 45, 2);
    put(out, 0, 8);
    put(out, members.size(), 8);
    put(out, members.size(), 8);
    put(out, directory.size(), 8);
    put(out, at, 8);
    put(out, 0x07064b50, 4);
    put(out, 0, 4);
    put(out, end, 8);
    put(out, 1, 4);
  }
  put(out, 0x06054b50, 4);
  put(out, 0, 4);
  put(out, zip64 ? 0xFFFF : members.size(), 2);
  put(out, zip64 ? 0xFFFF : members.size(), 2);
  put(out, zip64 ? 0xFFFFFFFFu : directory.size(), 4);
  put(out, zip64 ? 0xFFFFFFFFu : at, 4);
  put(out, 0, 2);
  return out;
}

}  // namespace vibe::test
