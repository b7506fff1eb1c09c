#include "trace/hook/text_marks.h"

#include <bit>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace vibe::trace {

namespace {

constexpr std::size_t kBlock = 64;
std::size_t blocks_of(std::string_view lines) { return (lines.size() + kBlock - 1) / kBlock; }

// A block of bytes, one bit per byte.
struct Block {
  std::uint64_t quotes = 0, backslashes = 0, controls = 0;
};

// The escaped bytes: those after a backslash that is not itself escaped. `carry`: in, whether the
// block before ended with such a backslash; out, whether this one does.
std::uint64_t escaped_by(std::uint64_t backslashes, std::uint64_t& carry) {
  constexpr std::uint64_t kOdd = 0xAAAA'AAAA'AAAA'AAAA;
  // In a run of backslashes every second one escapes, beginning with the first. Subtracting the
  // runs from the odd bits computes that pattern for all runs at once: see Langdale and Lemire,
  // Parsing gigabytes of JSON per second (2019).
  const std::uint64_t runs = backslashes & ~carry;
  const std::uint64_t pattern = (((runs << 1) | kOdd) - runs) ^ kOdd;
  const std::uint64_t escaped = pattern ^ (backslashes | carry);
  carry = (pattern & backslashes) >> 63;
  return escaped;
}

// Writes the marks of consecutive blocks.
class MarkWriter {
 public:
  MarkWriter(std::uint32_t* marks, std::uint64_t* backslashes)
      : marks_(marks), backslashes_(backslashes) {}

  void take(const Block& block) {
    const std::uint64_t escaped = escaped_by(block.backslashes, carry_);
    std::uint64_t bits = (block.quotes & ~escaped) | block.controls;
    const int count = std::popcount(bits);
    // Few blocks have more than eight marks, so eight are always written, without a branch.
    constexpr int kOften = 8;
#pragma GCC unroll 8
    for (int i = 0; i < kOften; ++i) {
      marks_[i] = at_ + static_cast<std::uint32_t>(std::countr_zero(bits));
      bits &= bits - 1;
    }
    for (int i = kOften; i < count; ++i) {
      marks_[i] = at_ + static_cast<std::uint32_t>(std::countr_zero(bits));
      bits &= bits - 1;
    }
    marks_ += count;
    *backslashes_++ = block.backslashes;
    at_ += kBlock;
  }

  std::uint32_t* end() const { return marks_; }

 private:
  std::uint32_t* marks_;
  std::uint64_t* backslashes_;
  std::uint64_t carry_ = 0;
  std::uint32_t at_ = 0;
};

#if defined(__SSE2__)

Block look_at(const char* at) {
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'),
                last_control = _mm_set1_epi8(0x1F);
  Block out;
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * i));
    const auto bits = [i](__m128i equal) {
      return std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(equal))} << (16 * i);
    };
    out.quotes |= bits(_mm_cmpeq_epi8(bytes, quote));
    out.backslashes |= bits(_mm_cmpeq_epi8(bytes, backslash));
    out.controls |= bits(_mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes));
  }
  return out;
}

void find_plain(std::string_view lines, MarkWriter& writer) {
  const char* at = lines.data();
  for (std::size_t n = 0; n < blocks_of(lines); ++n, at += kBlock) writer.take(look_at(at));
}

[[gnu::target("avx2,bmi,popcnt")]] void find_avx2(std::string_view lines, MarkWriter& writer) {
  const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\'),
                last_control = _mm256_set1_epi8(0x1F);
  const char* at = lines.data();
  MarkWriter local = writer;
  for (std::size_t n = 0; n < blocks_of(lines); ++n, at += kBlock) {
    Block block;
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32 * i));
      const int quotes = _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, quote));
      const int backslashes = _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, backslash));
      const int controls =
          _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(bytes, last_control), bytes));
      block.quotes |= std::uint64_t{static_cast<unsigned>(quotes)} << (32 * i);
      block.backslashes |= std::uint64_t{static_cast<unsigned>(backslashes)} << (32 * i);
      block.controls |= std::uint64_t{static_cast<unsigned>(controls)} << (32 * i);
    }
    local.take(block);
  }
  writer = local;
}

void find_marks(std::string_view lines, MarkWriter& writer) {
  static const auto find = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                                   __builtin_cpu_supports("popcnt")
                               ? find_avx2
                               : find_plain;
  find(lines, writer);
}

#else

void find_marks(std::string_view lines, MarkWriter& writer) {
  const char* at = lines.data();
  for (std::size_t n = 0; n < blocks_of(lines); ++n, at += kBlock) {
    Block block;
    for (std::size_t i = 0; i < kBlock; ++i) {
      const std::uint64_t bit = std::uint64_t{1} << i;
      if (at[i] == '"') block.quotes |= bit;
      if (at[i] == '\\') block.backslashes |= bit;
      if (static_cast<unsigned char>(at[i]) < 0x20) block.controls |= bit;
    }
    writer.take(block);
  }
}

#endif

}  // namespace

void TextMarks::find(std::string_view lines) {
  lines_ = lines;
  const std::size_t blocks = blocks_of(lines);
  if (const std::size_t most = (blocks + 1) * kBlock; capacity_ < most) {
    marks_ = std::make_unique_for_overwrite<std::uint32_t[]>(most);
    capacity_ = most;
  }
  if (backslashes_.size() < blocks) backslashes_.resize(blocks);
  MarkWriter writer(marks_.get(), backslashes_.data());
  find_marks(lines, writer);
  std::uint32_t* end = writer.end();
  while (end > marks_.get() && end[-1] >= lines.size()) --end;  // marks in the padding
  *end = static_cast<std::uint32_t>(lines.size());
  next_ = marks_.get();
}

}  // namespace vibe::trace
