#include "base/gzip.h"

#include <limits>

#include <zlib.h>

namespace vibe::base {

namespace {

constexpr int kWindow = MAX_WBITS + 16;  // zlib's way to ask for gzip's header
constexpr int kMemory = 8;               // zlib's default

}  // namespace

std::optional<std::string> gzip(std::string_view text) {
  if (text.size() > std::numeric_limits<uInt>::max()) return std::nullopt;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    return std::nullopt;
  std::string out(text.size(), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib only reads it
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool fits = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (!fits) return std::nullopt;
  return out;
}

}  // namespace vibe::base
