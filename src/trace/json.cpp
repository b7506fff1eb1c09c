#include "trace/json.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

#include "base/decimal.h"
#include "base/text.h"

namespace vibe::trace {

namespace {

int hex(std::string_view text, std::size_t at) {
  int out = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    if (i >= text.size()) return -1;
    const char c = text[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    out = out * 16 + digit;
  }
  return out;
}

bool is_high(int unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low(int unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Appends the escape at `at` and returns the position after it.
std::size_t repair_escape(std::string_view text, std::size_t at, std::string& out) {
  if (at + 1 >= text.size() || text[at + 1] != 'u') {
    out += text.substr(at, 2);
    return at + 2;
  }
  const int unit = hex(text, at + 2);
  const bool paired = is_high(unit) && text.substr(at + 6, 2) == "\\u" && is_low(hex(text, at + 8));
  const std::size_t length = unit < 0 ? 2 : paired ? 12 : 6;
  out += !paired && (is_high(unit) || is_low(unit)) ? std::string_view("\\ufffd")
                                                    : text.substr(at, length);
  return at + length;
}

// The number at `at`, valid or not, up to its end.
std::string_view number_at(std::string_view text, std::size_t at) {
  const std::size_t end = text.find_first_not_of("0123456789+-.eE", at);
  return text.substr(at, std::min(end, text.size()) - at);
}

// An integer of more than 64 bits becomes a double, and a number too large for a double becomes
// null: the parser rejects both, although they are valid JSON.
void append_number(std::string_view number, std::string& out) {
  constexpr std::size_t kAlwaysFits = 18;  // digits
  if (number.size() <= kAlwaysFits && number.find_first_of("eE") == std::string_view::npos) {
    out += number;
    return;
  }
  const bool is_whole = number.find_first_of(".eE") == std::string_view::npos;
  std::uint64_t whole = 0;
  const bool fits =
      is_whole &&
      (base::parse_integer(number) ||
       std::from_chars(number.data(), number.data() + number.size(), whole).ec == std::errc{});
  if (fits || !base::is_json_number(number)) {
    out += number;
    return;
  }
  const auto value = base::parse_double(number);
  if (!value)
    out += "null";
  else if (is_whole)
    out += fmt::format("{}", *value);
  else
    out += number;
}

}  // namespace

Json JsonParser::parse(std::string_view text, bool padded) {
  was_utf8_ = true;
  if (text.empty()) return {};
  if (const auto value = dom_.parse(text, padded)) return *value;
  was_utf8_ = !base::first_invalid(text);
  repaired_ = repair_json(text);
  return repaired_ == text ? Json() : dom_.parse(repaired_).value_or(Json());
}

std::string repair_json(std::string_view text) {
  std::string valid;
  if (base::first_invalid(text)) {
    valid = base::replace_invalid(text);
    text = valid;
  }
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (in_string && c == '\\') {
      at = repair_escape(text, at, out);
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (in_string && static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", c);
      ++at;
      continue;
    }
    if (!in_string) {
      const auto word = [&](std::string_view name) { return text.substr(at).starts_with(name); };
      const std::size_t length = word("NaN") ? 3 : word("Infinity") ? 8 : word("-Infinity") ? 9 : 0;
      if (length > 0) {
        out += "null";
        at += length;
        continue;
      }
      if (c == '-' || (c >= '0' && c <= '9')) {
        const std::string_view number = number_at(text, at);
        append_number(number, out);
        at += number.size();
        continue;
      }
    }
    out += c;
    ++at;
  }
  return out;
}

}  // namespace vibe::trace
