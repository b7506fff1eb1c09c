#include "check/ecma_pattern.h"

#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace vibe::check {

namespace {

// Property names that RE2 knows only by their short form.
struct Property {
  std::string_view name, short_form;
};

constexpr Property kProperties[] = {
    {"Letter", "L"},
    {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"},
    {"Mark", "M"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Symbol", "S"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
};
constexpr std::string_view kPropertyOwners[] = {
    "General_Category=", "gc=", "Script=", "sc=", "Script_Extensions=", "scx="};

constexpr std::string_view kWhiteSpace = R"(\s\x{b}\x{a0}\x{feff}\p{Z})";

class Translator {
 public:
  explicit Translator(std::string_view pattern) : rest_(pattern) {}

  std::string run() {
    while (!rest_.empty()) {
      if (rest_[0] == '\\' && rest_.size() > 1) {
        escape();
      } else if (!in_class_ && rest_.starts_with("(?<") && rest_.size() > 3 && rest_[3] != '=' &&
                 rest_[3] != '!') {
        replace(3, "(?P<");
      } else {
        if (rest_[0] == '[') in_class_ = true;
        if (rest_[0] == ']') in_class_ = false;
        replace(1, rest_.substr(0, 1));
      }
    }
    return std::move(out_);
  }

 private:
  void replace(std::size_t length, std::string_view text) {
    out_ += text;
    rest_.remove_prefix(length);
  }

  void escape() {
    switch (rest_[1]) {
      case 'u': return unicode();
      case 'p':
      case 'P': return property();
      case 's':
        return replace(2, in_class_ ? std::string(kWhiteSpace) : fmt::format("[{}]", kWhiteSpace));
      case 'S':
        if (!in_class_) return replace(2, fmt::format("[^{}]", kWhiteSpace));
        break;
      case 'c':
        if (rest_.size() > 2) return replace(3, fmt::format("\\x{{{:x}}}", rest_[2] & 31));
        break;
      case '0': return replace(2, "\\x{0}");
      default: break;
    }
    replace(2, rest_.substr(0, 2));
  }

  static std::optional<std::uint32_t> hex(std::string_view digits) {
    std::uint32_t value = 0;
    const auto [stop, error] = std::from_chars(digits.begin(), digits.end(), value, 16);
    return error == std::errc{} && stop == digits.end() ? std::optional(value) : std::nullopt;
  }

  void unicode() {
    const auto first = rest_.size() >= 6 ? hex(rest_.substr(2, 4)) : std::nullopt;
    if (!first) {  // `\u{1F432}`
      if (rest_.starts_with("\\u{")) return replace(2, "\\x");
      return replace(2, "\\u");
    }
    const bool high = *first >= 0xD800 && *first < 0xDC00;
    if (high && rest_.size() >= 12 && rest_.substr(6, 2) == "\\u") {
      const auto second = hex(rest_.substr(8, 4));
      if (second && *second >= 0xDC00 && *second < 0xE000)
        return replace(12, fmt::format("\\x{{{:x}}}",
                                       0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00)));
    }
    replace(6, fmt::format("\\x{{{:x}}}", *first));
  }

  void property() {
    const auto close = rest_.find('}');
    if (rest_.size() < 4 || rest_[2] != '{' || close == std::string_view::npos)
      return replace(2, rest_.substr(0, 2));
    std::string_view name = rest_.substr(3, close - 3);
    for (const auto owner : kPropertyOwners)
      if (name.starts_with(owner)) {
        name.remove_prefix(owner.size());
        break;
      }
    for (const auto& row : kProperties)
      if (row.name == name) name = row.short_form;
    replace(close + 1, fmt::format("\\{}{{{}}}", rest_[1], name));
  }

  std::string_view rest_;
  std::string out_;
  bool in_class_ = false;
};

}  // namespace

std::string ecma_to_re2(std::string_view pattern) { return Translator(pattern).run(); }

}  // namespace vibe::check
