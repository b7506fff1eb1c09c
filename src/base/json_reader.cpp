#include "base/json_reader.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/decimal.h"
#include "base/text.h"

namespace vibe::base {

namespace {

constexpr std::size_t kFewMembers = 16;  // searched one by one

bool is_high_surrogate(char32_t value) { return value >= 0xD800 && value < 0xDC00; }
bool is_low_surrogate(char32_t value) { return value >= 0xDC00 && value < 0xE000; }

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  tl::expected<JsonDocument, JsonFault> read() {
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    if (const auto bad = first_invalid(text_)) {
      fault(*bad, fmt::format("the byte 0x{:02X} is not UTF-8",
                              static_cast<unsigned>(static_cast<unsigned char>(text_[*bad]))));
      return tl::unexpected(*std::move(fault_));
    }
    JsonDocument out;
    skip_space();
    if (at_ == text_.size())
      fault(at_, "the text is empty");
    else if (read_value(out.root)) {
      skip_space();
      if (at_ < text_.size()) fault(at_, fmt::format("{} after the end of the value", seen()));
    }
    if (fault_) return tl::unexpected(*std::move(fault_));
    out.repeated_key = std::move(repeated_key_);
    return out;
  }

 private:
  bool fault(std::size_t offset, std::string message) {
    fault_ = JsonFault{std::move(message), offset};
    return false;
  }

  // The text at the current position, for messages.
  std::string seen() const {
    if (at_ >= text_.size()) return "the end";
    const CodePoint point = decode(text_, at_);
    if (!is_printable(point.value))
      return fmt::format("U+{:04X}", static_cast<std::uint32_t>(point.value));
    return fmt::format("`{}`", text_.substr(at_, point.length));
  }
  bool expected(std::string_view what) {
    return fault(at_, fmt::format("{} where {} was expected", seen(), what));
  }

  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
      ++at_;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool read_value(JsonValue& out) {
    switch (peek()) {
      case '{': return enter([&] { return read_object(out); });
      case '[': return enter([&] { return read_array(out); });
      case '"': {
        std::string text;
        if (!read_text(text)) return false;
        out = JsonValue(JsonValue::Value(std::move(text)));
        return true;
      }
      case 't': return read_word("true", JsonValue(JsonValue::Value(true)), out);
      case 'f': return read_word("false", JsonValue(JsonValue::Value(false)), out);
      case 'n': return read_word("null", JsonValue(), out);
      default: break;
    }
    if (peek() == '-' || is_digit(peek())) return read_number(out);
    return expected("a value");
  }

  template <class Read>
  bool enter(const Read& read) {
    if (depth_ == kMaxJsonDepth)
      return fault(at_, fmt::format("nested more than {} levels deep", kMaxJsonDepth));
    ++depth_;
    ++at_;
    const bool done = read();
    --depth_;
    return done;
  }

  bool read_word(std::string_view word, JsonValue value, JsonValue& out) {
    if (text_.substr(at_, word.size()) != word) return expected("a value");
    at_ += word.size();
    out = std::move(value);
    return true;
  }

  bool read_array(JsonValue& out) {
    JsonValue::Array items;
    skip_space();
    if (!take(']')) {
      do {
        skip_space();
        if (!read_value(items.emplace_back())) return false;
        skip_space();
      } while (take(','));
      if (!take(']')) return expected("`,` or `]`");
    }
    out = JsonValue(JsonValue::Value(std::move(items)));
    return true;
  }

  bool read_object(JsonValue& out) {
    JsonValue::Object members;
    std::unordered_map<std::string, std::size_t> places;  // only used for many members
    skip_space();
    if (!take('}')) {
      do {
        skip_space();
        std::string key;
        if (peek() != '"') return expected("a key in double quotes");
        if (!read_text(key)) return false;
        skip_space();
        if (!take(':')) return expected("`:`");
        skip_space();
        JsonValue value;
        if (!read_value(value)) return false;
        add(std::move(key), std::move(value), members, places);
        skip_space();
      } while (take(','));
      if (!take('}')) return expected("`,` or `}`");
    }
    out = JsonValue(JsonValue::Value(std::move(members)));
    return true;
  }

  void add(std::string key, JsonValue value, JsonValue::Object& members,
           std::unordered_map<std::string, std::size_t>& places) {
    auto same = members.end();
    if (members.size() <= kFewMembers) {
      same = std::find_if(members.begin(), members.end(),
                          [&](const auto& member) { return member.first == key; });
    } else {
      for (std::size_t i = places.size(); i < members.size(); ++i)
        places.emplace(members[i].first, i);
      if (const auto found = places.find(key); found != places.end())
        same = members.begin() + static_cast<std::ptrdiff_t>(found->second);
    }
    if (same == members.end()) {
      members.emplace_back(std::move(key), std::move(value));
      return;
    }
    same->second = std::move(value);
    if (!repeated_key_) repeated_key_ = std::move(key);
  }

  bool read_text(std::string& out) {
    const std::size_t begin = at_++;
    for (;;) {
      const std::size_t plain = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
             static_cast<unsigned char>(text_[at_]) >= 0x20)
        ++at_;
      out.append(text_, plain, at_ - plain);
      if (take('"')) return true;
      if (at_ == text_.size()) return fault(begin, "a string that is not closed");
      if (text_[at_] != '\\') return fault(at_, fmt::format("unescaped {} in a string", seen()));
      if (!read_escape(out)) return false;
    }
  }

  bool read_escape(std::string& out) {
    const std::size_t begin = at_++;
    constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    const auto letter = at_ < text_.size() ? kEscapes.find(text_[at_]) : std::string_view::npos;
    if (letter != std::string_view::npos) {
      ++at_;
      out += kMeanings[letter];
      return true;
    }
    if (!take('u')) return fault(begin, "an unknown escape");
    const auto first = read_hex();
    if (!first) return fault(begin, "`\\u` without four hexadecimal digits");
    char32_t value = *first;
    if (is_high_surrogate(value) && text_.substr(at_, 2) == "\\u") {
      const std::size_t before = at_;
      at_ += 2;
      const auto second = read_hex();
      if (second && is_low_surrogate(*second))
        value = 0x10000 + ((value - 0xD800) << 10) + (*second - 0xDC00);
      else
        at_ = before;
    }
    append_utf8(out, is_high_surrogate(value) || is_low_surrogate(value) ? U'\uFFFD' : value);
    return true;
  }

  std::optional<char32_t> read_hex() {
    constexpr std::size_t kDigits = 4;
    if (text_.size() - at_ < kDigits) return std::nullopt;
    std::uint32_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, begin + kDigits, value, 16);
    if (error != std::errc{} || end != begin + kDigits) return std::nullopt;
    at_ += kDigits;
    return static_cast<char32_t>(value);
  }

  bool read_number(JsonValue& out) {
    const std::size_t begin = at_;
    const Decimal number = scan_decimal(text_.substr(begin));
    const std::size_t sign = number.has_sign ? 1 : 0;
    at_ = begin + sign;
    if (number.whole == 0) return expected("a digit");
    if (number.whole > 1 && peek() == '0') return fault(begin, "a number that begins with 0");
    at_ = begin + number.mantissa_end;
    if (number.has_point && number.fraction == 0) return expected("a digit");
    at_ = begin + number.end;
    if (number.is_cut_off()) return expected("a digit");
    const bool whole = !number.has_point && !number.has_exponent;
    const std::string_view digits = text_.substr(begin, at_ - begin);
    if (const auto exact = whole ? parse_integer(digits) : std::nullopt)
      out = JsonValue(JsonValue::Value(*exact));
    else if (const auto value = parse_double(digits))
      out = JsonValue(JsonValue::Value(*value));
    else
      return fault(begin,
                   fmt::format("the number `{}` is too large for a double", shorten(digits, 40)));
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0, depth_ = 0;
  std::optional<JsonFault> fault_;
  std::optional<std::string> repeated_key_;
};

}  // namespace

tl::expected<JsonDocument, JsonFault> read_json_document(std::string_view text) {
  return JsonReader(text).read();
}

}  // namespace vibe::base
