#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <utf8proc.h>

#include "base/decimal.h"

namespace vibe::base {
namespace {

constexpr char32_t kReplacement = 0xFFFD, kJoiner = 0x200D, kEmojiSelector = 0xFE0F;
constexpr std::string_view kWhiteSpace = " \t\n\r\f\v";

constexpr bool is_white(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

std::u32string to_code_points(std::string_view text) {
  std::u32string out;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = decode(text, at);
    out += next.value;
    at += next.length;
  }
  return out;
}

char32_t lower(char32_t value) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(value)));
}

// Only cells within `limit` of the diagonal are filled in: no other cell can be part of such a
// small distance.
template <class View>
std::size_t alignment_distance(View a, View b, std::size_t limit) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > limit) return limit + 1;
  limit = std::min(limit, b.size());
  const std::size_t far = limit + 1;
  std::vector<std::size_t> before(b.size() + 1, far), last(b.size() + 1, far),
      row(b.size() + 1, far);
  std::iota(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(limit) + 1, std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const std::size_t from = i > limit ? i - limit : 1, to = std::min(b.size(), i + limit);
    row[from - 1] = from == 1 ? std::min(i, far) : far;
    std::size_t least = row[from - 1];
    for (std::size_t j = from; j <= to; ++j) {
      std::size_t best = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      best = std::min({best, row[j - 1] + 1, last[j] + 1, far});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = std::min(best, before[j - 2] + 1);
      row[j] = best;
      least = std::min(least, best);
    }
    if (to < b.size()) row[to + 1] = far;
    if (least == far) return far;
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

bool same_but_for_case(std::u32string_view a, std::u32string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char32_t x, char32_t y) { return x == y || lower(x) == lower(y); });
}

// [+-] digits [. digits] [e [+-] digits], with a digit before or after the point
bool is_decimal(std::string_view text) {
  const Decimal number = scan_decimal(text);
  return number.has_digits() && !number.is_cut_off() && number.end == text.size();
}

// Sorts combining marks by class, stable within a class. utf8proc's own way is quadratic.
void order_marks(std::vector<utf8proc_int32_t>& points) {
  struct Mark {
    int mark_class;
    std::size_t at;
    utf8proc_int32_t point;
    auto operator<=>(const Mark&) const = default;
  };
  std::vector<Mark> marks;
  for (std::size_t i = 0; i <= points.size(); ++i) {
    const int mark_class =
        i < points.size() ? utf8proc_get_property(points[i])->combining_class : 0;
    if (mark_class != 0) {
      marks.push_back({mark_class, i, points[i]});
      continue;
    }
    std::sort(marks.begin(), marks.end());
    for (std::size_t k = 0; k < marks.size(); ++k) points[i - marks.size() + k] = marks[k].point;
    marks.clear();
  }
}

}  // namespace

CodePoint decode(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[offset + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  constexpr CodePoint kBad{kReplacement, 1, false};
  if (lead < 0xC2 || lead > 0xF4 || length > text.size() - offset) return kBad;
  char32_t value = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return kBad;
    value = value << 6 | (byte(i) & 0x3F);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return kBad;
  return {value, length, true};
}

void append_utf8(std::string& out, char32_t value) {
  const auto add = [&](char32_t bits) {
    out += static_cast<char>(static_cast<unsigned char>(bits));
  };
  if (value < 0x80) {
    add(value);
  } else if (value < 0x800) {
    add(0xC0 | value >> 6);
    add(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    add(0xE0 | value >> 12);
    add(0x80 | (value >> 6 & 0x3F));
    add(0x80 | (value & 0x3F));
  } else {
    add(0xF0 | value >> 18);
    add(0x80 | (value >> 12 & 0x3F));
    add(0x80 | (value >> 6 & 0x3F));
    add(0x80 | (value & 0x3F));
  }
}

std::optional<std::size_t> first_invalid(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::uint64_t word;
    if (text.size() - at >= sizeof word) {
      std::memcpy(&word, text.data() + at, sizeof word);
      if ((word & 0x8080808080808080u) == 0) {
        at += sizeof word;
        continue;
      }
    }
    const CodePoint next = decode(text, at);
    if (!next.valid) return at;
    at += next.length;
  }
  return std::nullopt;
}

namespace {

// The number of bytes at `offset` that begin a character but do not complete it; 1 if not even two
// do.
std::size_t broken_length(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t i) {
    return offset + i < text.size() ? static_cast<unsigned char>(text[offset + i]) : 0u;
  };
  const unsigned lead = byte(0), second = byte(1);
  const bool three = lead >= 0xE0 && lead <= 0xEF, four = lead >= 0xF0 && lead <= 0xF4;
  const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if ((!three && !four) || second < least || second > most) return 1;
  return four && (byte(2) & 0xC0) == 0x80 ? 3 : 2;
}

}  // namespace

std::string replace_invalid(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (const auto bad = first_invalid(text)) {
    out += text.substr(0, *bad);
    append_utf8(out, kReplacement);
    text.remove_prefix(*bad + broken_length(text, *bad));
  }
  return out += text;
}

std::u32string to_nfkc(std::string_view text) {
  constexpr auto kOptions =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE);
  constexpr std::size_t kMostParts = 32;  // per character; Unicode needs 18
  std::vector<utf8proc_int32_t> points;
  points.reserve(text.size());
  for (const char32_t value : to_code_points(replace_invalid(text))) {
    const std::size_t before = points.size();
    points.resize(before + kMostParts);
    const auto parts =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(value), points.data() + before,
                                kMostParts, kOptions, nullptr);
    if (parts < 0 || parts > static_cast<utf8proc_ssize_t>(kMostParts)) std::abort();
    points.resize(before + static_cast<std::size_t>(parts));
  }
  order_marks(points);
  const auto size =
      utf8proc_normalize_utf32(points.data(), static_cast<utf8proc_ssize_t>(points.size()),
                               static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  return {points.begin(), points.begin() + size};
}

char32_t fold_case(char32_t value) {
  if (value < 0x80) return value >= 'A' && value <= 'Z' ? value + ('a' - 'A') : value;
  constexpr char32_t kDottedI = 0x130;  // its lower case belongs to another letter, `i`
  std::array<utf8proc_int32_t, 8> folded{};
  int last = UTF8PROC_BOUNDCLASS_START;
  const auto length = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(value), folded.data(),
                                              folded.size(), UTF8PROC_CASEFOLD, &last);
  if (length == 1) return static_cast<char32_t>(folded[0]);
  // A character that folds to several (`ß` to `ss`) folds to its lower case in simple folding.
  return value == kDottedI ? value : lower(value);
}

std::size_t Columns::next(char32_t value) {
  const char32_t last = std::exchange(last_, value);
  if (value == kEmojiSelector && last_width_ == 1) {
    last_width_ = 2;
    return 1;
  }
  const bool skin_tone = value >= 0x1F3FB && value <= 0x1F3FF && last_width_ == 2;
  if (skin_tone) return 0;
  const bool control = value < 0x20 || (value >= 0x7F && value < 0xA0);
  const int width = control ? 1 : utf8proc_charwidth(static_cast<utf8proc_int32_t>(value));
  if (width <= 0 || (last == kJoiner && width == 2)) return 0;
  last_width_ = static_cast<std::size_t>(width);
  return last_width_;
}

std::size_t display_width(std::string_view text) {
  Columns columns;
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = decode(text, at);
    width += columns.next(next.value);
    at += next.length;
  }
  return width;
}

bool is_printable(char32_t value) {
  const bool control = value < 0x20 || (value >= 0x7F && value < 0xA0);
  const bool line_break = value == 0x2028 || value == 0x2029;
  const bool reorders =
      (value >= 0x202A && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069);
  const bool no_character = (value & 0xFFFE) == 0xFFFE || value == 0xFEFF;
  return !control && !line_break && !reorders && !no_character;
}

std::string printable(std::string_view text) {
  const auto is_plain = [](char c) { return c >= ' ' && c < '\x7F'; };
  const auto* const other = std::find_if_not(text.begin(), text.end(), is_plain);
  std::size_t at = static_cast<std::size_t>(other - text.begin());
  std::string out(text.substr(0, at));
  out.reserve(text.size());
  while (at < text.size()) {
    const CodePoint next = decode(text, at);
    if (next.value == '\n' || next.value == '\t')
      out += ' ';
    else
      append_utf8(out, is_printable(next.value) ? next.value : kReplacement);
    at += next.length;
  }
  return out;
}

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (is_ascii(a) && is_ascii(b)) return std::min(alignment_distance(a, b, limit), limit + 1);
  const std::u32string x = to_code_points(a), y = to_code_points(b);
  return std::min(alignment_distance(std::u32string_view(x), std::u32string_view(y), limit),
                  limit + 1);
}

std::vector<std::string_view> nearest(std::string_view word,
                                      std::span<const std::string_view> candidates,
                                      std::size_t most) {
  const std::u32string wanted = to_code_points(word);
  const std::size_t limit = std::clamp<std::size_t>(wanted.size() / 3, 1, 3);
  std::vector<std::pair<std::size_t, std::size_t>> found;  // distance and index
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::string_view candidate = candidates[i];
    // a code point has at most four bytes
    if (candidate.size() > 4 * (wanted.size() + limit) || wanted.size() > candidate.size() + limit)
      continue;
    const std::u32string have = to_code_points(candidate);
    std::size_t distance =
        alignment_distance(std::u32string_view(wanted), std::u32string_view(have), limit);
    if (distance > 1 && wanted.size() == have.size() && same_but_for_case(wanted, have))
      distance = 1;
    if (distance <= limit) found.emplace_back(distance, i);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string_view> names;
  for (const auto& [distance, index] : found) {
    if (names.size() == most) break;
    if (std::find(names.begin(), names.end(), candidates[index]) == names.end())
      names.push_back(candidates[index]);
  }
  return names;
}

std::string did_you_mean(std::span<const std::string_view> names) {
  if (names.empty()) return {};
  std::string out = "did you mean ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out.append("`").append(names[i]).append("`");
  }
  return out + "?";
}

std::string shorten(std::string_view text, std::size_t most) {
  std::size_t end = 0;
  for (std::size_t count = 0; count < most && end < text.size(); ++count)
    end += decode(text, end).length;
  std::string out(text.substr(0, end));
  return end < text.size() ? out + "…" : out;
}

bool is_ascii(std::string_view text) {
  unsigned char all = 0;
  for (const char byte : text) all |= static_cast<unsigned char>(byte);
  return all < 0x80;
}

std::string lower_ascii(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower_ascii(c);
  return out;
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kWhiteSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhiteSpace) - begin + 1);
}

std::string fold_white_space(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool in_run = false;
  for (const char byte : text) {
    if (!is_white(byte))
      out += byte;
    else if (!in_run)
      out += ' ';
    in_run = is_white(byte);
  }
  return out;
}

bool glob_match(std::string_view glob, std::string_view text) {
  std::size_t g = 0, t = 0, star = glob.npos, retry = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      retry = t;
    } else if (g < glob.size() && glob[g] == '?') {
      ++g;
      t += decode(text, t).length;
    } else if (g < glob.size() && glob[g] == text[t]) {
      ++g;
      ++t;
    } else if (star != glob.npos) {  // the last star matches one character more
      retry += decode(text, retry).length;
      t = retry;
      g = star + 1;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == glob.npos;
}

bool is_variable_name(std::string_view text) {
  const auto is_letter = [](char c) {
    const char lowered = lower_ascii(c);
    return (lowered >= 'a' && lowered <= 'z') || c == '_';
  };
  return !text.empty() && !is_digit(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

bool is_http_url(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (text.starts_with(scheme))
      return text.size() > scheme.size() && text[scheme.size()] != '/' &&
             text.find_first_of(kWhiteSpace) == text.npos;
  return false;
}

std::string counted(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string to_decimal(double value, int decimals) {
  std::string out = fmt::format("{:.{}f}", value, decimals);
  if (out.find('.') == out.npos) return out;
  out.erase(out.find_last_not_of('0') + 1);
  if (out.ends_with('.')) out.pop_back();
  return out;
}

std::optional<double> parse_double(std::string_view text) {
  if (!is_decimal(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)  // too large, or so small that it is (nearly) zero
    value = std::strtod(std::string(text).c_str(), nullptr);
  else if (error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace vibe::base
