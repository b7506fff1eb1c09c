#include "tokens/split.h"

#include "tokens/vocabulary.h"

namespace vibe::tokens {

namespace {

constexpr unsigned kAnyLetter = kUpper | kLower | kLetter;
constexpr unsigned kUpperLike = kUpper | kLetter | kMark;
constexpr unsigned kLowerLike = kLower | kLetter | kMark;
constexpr unsigned kSpace = kWhite | kBreak;
constexpr std::size_t kNoEnd = 0;  // no end

struct Character {
  unsigned is = 0;  // its class; 0 after the end of the text
  std::size_t length = 0;

  explicit operator bool() const { return length > 0; }
};

class Text {
 public:
  explicit Text(std::string_view text) : text_(text) {}

  Character at(std::size_t offset) const {
    if (offset >= text_.size()) return {};
    const auto byte = [&](std::size_t i) {
      return static_cast<char32_t>(static_cast<unsigned char>(text_[offset + i]));
    };
    const char32_t lead = byte(0);
    if (lead < 0x80) return {kVocabulary.classes[0][lead], 1};
    if (lead < 0xE0) return {kVocabulary.class_of((lead & 0x1F) << 6 | (byte(1) & 0x3F)), 2};
    const char32_t middle = (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    if (lead < 0xF0) return {kVocabulary.class_of((lead & 0xF) << 12 | middle), 3};
    return {kVocabulary.class_of((lead & 7) << 18 | middle << 6 | (byte(3) & 0x3F)), 4};
  }

  std::size_t skip(std::size_t from, unsigned classes) const {
    for (;;) {
      const Character next = at(from);
      if (!(next.is & classes)) return from;
      from += next.length;
    }
  }

  char byte(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }

  // The offset after a contraction that begins here; the same offset if there is none.
  std::size_t skip_contraction(std::size_t from) const {
    if (byte(from) != '\'') return from;
    const auto lower = [&](std::size_t offset) { return static_cast<char>(byte(offset) | 0x20); };
    switch (lower(from + 1)) {
      case 's':
      case 't':
      case 'm':
      case 'd': return from + 2;
      case 'r':
      case 'v': return lower(from + 2) == 'e' ? from + 3 : from;
      case 'l': return lower(from + 2) == 'l' ? from + 3 : from;
      default:  // U+017F, `ſ`, is an `s` if case is ignored
        return text_.substr(from + 1, 2) == "\xC5\xBF" ? from + 3 : from;
    }
  }

 private:
  std::string_view text_;
};

// How far the letters and marks at an offset form a word.
struct Word {
  std::size_t lower = kNoEnd;  // the end, if its last character is not upper case
  std::size_t upper = kNoEnd;  // the end, if there is only an upper-case word
};

Word word_at(const Text& text, std::size_t begin) {
  std::size_t at = begin, lower_like = kNoEnd;
  Character next = text.at(at);
  for (; next.is & kUpperLike; next = text.at(at)) {
    at += next.length;
    if (next.is & kLowerLike) lower_like = at;
  }
  if (next.is & kLower) return {text.skip(at, kLowerLike), kNoEnd};
  if (lower_like != kNoEnd) return {lower_like, kNoEnd};
  return {kNoEnd, at > begin ? at : kNoEnd};
}

// The end of a word with at most one other character before it.
std::size_t word_end(const Text& text, std::size_t begin, Character first) {
  if (first.is & kAnyLetter) {
    const Word word = word_at(text, begin);
    return word.lower != kNoEnd ? word.lower : word.upper;
  }
  const Word word = word_at(text, begin + first.length);
  if (word.lower != kNoEnd) return word.lower;
  // A mark can also begin a word; a word that ends with a mark is preferred to an upper-case one.
  return first.is & kMark ? word_at(text, begin).lower : word.upper;
}

std::size_t white_space_end(const Text& text, std::size_t begin) {
  std::size_t at = begin, last = begin, after_break = kNoEnd;
  for (Character next = text.at(at); next.is & kSpace; next = text.at(at)) {
    last = at;
    at += next.length;
    if (next.is & kBreak) after_break = at;
  }
  if (after_break != kNoEnd) return after_break;
  // The last space belongs to what follows.
  return text.at(at) && last > begin ? last : at;
}

std::size_t number_end(const Text& text, std::size_t begin) {
  std::size_t at = begin;
  for (int digits = 0; digits < 3; ++digits) {
    const Character next = text.at(at);
    if (!(next.is & kNumber)) break;
    at += next.length;
  }
  return at;
}

std::size_t piece_end(const Text& text, std::size_t begin) {
  const Character first = text.at(begin);
  if (first.is & kNumber) return number_end(text, begin);
  if (!(first.is & kBreak)) {
    const std::size_t end = word_end(text, begin, first);
    if (end != kNoEnd) return text.skip_contraction(end);
  }
  const std::size_t sign = text.byte(begin) == ' ' ? begin + 1 : begin;
  std::size_t end = text.skip(sign, kOther | kMark);
  if (end == sign) return white_space_end(text, begin);
  while (text.byte(end) == '\r' || text.byte(end) == '\n' || text.byte(end) == '/') ++end;
  return end;
}

}  // namespace

std::string_view Splitter::next() {
  if (at_ == text_.size()) return {};
  const std::size_t begin = at_;
  at_ = piece_end(Text(text_), begin);
  return text_.substr(begin, at_ - begin);
}

}  // namespace vibe::tokens
