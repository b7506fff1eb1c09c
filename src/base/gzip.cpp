#include "base/gzip.h"

#include <limits>

#include <zlib.h>

namespace vibe::base {

namespace {

constexpr int kWindow = MAX_WBITS + 16;  // how zlib is asked for a gzip header
constexpr int kMemory = 8;               // zlib's default
// Many texts are compressed at a time: 96 KiB each instead of 256.
constexpr int kSmallWindow = 13 + 16, kSmallMemory = 7;

class Deflater final : public Gzip {
 public:
  Deflater() = default;
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() override { deflateEnd(&stream_); }

  bool open() {
    return deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, kSmallWindow, kSmallMemory,
                        Z_DEFAULT_STRATEGY) == Z_OK;
  }

  std::string add(std::string_view part) override {
    std::string out;
    while (!part.empty()) {
      const auto piece = part.substr(0, std::numeric_limits<uInt>::max());
      part.remove_prefix(piece.size());
      deflate_into(out, piece, Z_NO_FLUSH);
    }
    return out;
  }

  std::string end() override {
    std::string out;
    deflate_into(out, {}, Z_FINISH);
    return out;
  }

 private:
  void deflate_into(std::string& out, std::string_view piece, int flush) {
    // zlib only reads it
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    constexpr std::size_t kRoom = 16u << 10;
    do {
      const std::size_t size = out.size();
      out.resize(size + kRoom);
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + size);
      stream_.avail_out = kRoom;
      deflate(&stream_, flush);
      out.erase(out.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
};

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

std::unique_ptr<Gzip> Gzip::begin() {
  auto out = std::make_unique<Deflater>();
  if (!out->open()) return nullptr;
  return out;
}

}  // namespace vibe::base
