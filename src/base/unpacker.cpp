#include "base/unpacker.h"

#include <algorithm>
#include <limits>

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace vibe::base {

namespace {

class Stored final : public Unpacker {
 public:
  bool step(std::string_view& in, char* to, std::size_t most, std::size_t& made) override {
    made = in.copy(to, most);
    in.remove_prefix(made);
    return true;
  }
  bool complete() const override { return true; }
};

class Inflated final : public Unpacker {
 public:
  enum class Kind { raw, gzip };

  explicit Inflated(Kind kind) : kind_(kind) {
    const int bits = kind == Kind::gzip ? 16 + MAX_WBITS : -MAX_WBITS;
    ready_ = inflateInit2(&stream_, bits) == Z_OK;
  }
  ~Inflated() override {
    if (ready_) inflateEnd(&stream_);
  }
  Inflated(const Inflated&) = delete;
  Inflated& operator=(const Inflated&) = delete;

  bool step(std::string_view& in, char* to, std::size_t most, std::size_t& made) override {
    made = 0;
    if (!ready_) return false;
    do {
      if (ended_ && !begin_next(in)) return in.empty();
      if (!inflate_some(in, to, most, made)) return made > 0;  // zlib fails again on the next call
    } while (made == 0 && !in.empty());
    return true;
  }
  bool complete() const override { return ended_; }

 private:
  // False if no member follows, as far as buffered.
  bool begin_next(std::string_view& in) {
    if (kind_ == Kind::raw) return false;
    in.remove_prefix(std::min(in.find_first_not_of('\0'), in.size()));  // block padding
    if (in.empty()) return false;
    ended_ = false;
    return inflateReset(&stream_) == Z_OK;
  }

  bool inflate_some(std::string_view& in, char* to, std::size_t most, std::size_t& made) {
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    const std::size_t given = std::min(in.size(), kMost), room = std::min(most, kMost);
    // zlib does not change its input, despite the type
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    in.remove_prefix(given - stream_.avail_in);
    made = room - stream_.avail_out;
    ended_ = status == Z_STREAM_END;
    return ended_ || status == Z_OK || status == Z_BUF_ERROR;
  }

  z_stream stream_{};
  const Kind kind_;
  bool ready_ = false, ended_ = false;
};

class Zstandard final : public Unpacker {
 public:
  Zstandard() : stream_(ZSTD_createDStream(), ZSTD_freeDStream) {}

  bool step(std::string_view& in, char* to, std::size_t most, std::size_t& made) override {
    made = 0;
    if (!stream_) return false;
    if (complete_ && in.empty()) return true;  // else zstd would start a new frame
    ZSTD_outBuffer target{to, most, 0};
    do {
      const std::string_view given = in.substr(0, wanted_);
      ZSTD_inBuffer source{given.data(), given.size(), 0};
      const std::size_t status = ZSTD_decompressStream(stream_.get(), &target, &source);
      in.remove_prefix(source.pos);
      if (ZSTD_isError(status) != 0) {
        error_ = ZSTD_getErrorCode(status);
        return false;
      }
      complete_ = status == 0;
      // When zstd meets damage, it drops the output of that call. So a call must not go beyond one
      // block: not while part of the last block may be left, and not as far as zstd suggests, which
      // is a block and the next header.
      wanted_ = status > kBlockHeader ? status - kBlockHeader : kBlockHeader;
      if (target.pos == most) wanted_ = 0;
    } while (target.pos == 0 && !in.empty());
    made = target.pos;
    return true;
  }
  bool complete() const override { return complete_; }
  std::string_view problem() const override {
    if (error_ == ZSTD_error_frameParameter_windowTooLarge)
      return "it needs a window of more than 128 MiB";  // zstd's default limit
    if (error_ == ZSTD_error_dictionary_wrong) return "it was packed with a dictionary";
    return Unpacker::problem();
  }

 private:
  static constexpr std::size_t kBlockHeader = 3;
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_;
  std::size_t wanted_ = kBlockHeader;
  bool complete_ = false;
  ZSTD_ErrorCode error_ = ZSTD_error_no_error;
};

}  // namespace

std::unique_ptr<Unpacker> make_stored() { return std::make_unique<Stored>(); }
std::unique_ptr<Unpacker> make_deflated() {
  return std::make_unique<Inflated>(Inflated::Kind::raw);
}
std::unique_ptr<Unpacker> make_gzip() { return std::make_unique<Inflated>(Inflated::Kind::gzip); }
std::unique_ptr<Unpacker> make_zstd() { return std::make_unique<Zstandard>(); }

}  // namespace vibe::base
