#include "check/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>

#include "base/json_pointer.h"
#include "base/text.h"
#include "check/ecma_pattern.h"
#include "check/pattern.h"
#include "check/uri.h"

namespace vibe::check {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_letter(c) || is_digit(c); }
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

template <class Holds>
bool all(std::string_view text, const Holds& holds) {
  return std::all_of(text.begin(), text.end(), holds);
}

// Consumes the beginning of a text.
class Front {
 public:
  explicit Front(std::string_view text) : rest(text) {}

  bool take(char c) {
    if (rest.empty() || rest[0] != c) return false;
    rest.remove_prefix(1);
    return true;
  }
  // Exactly this many digits.
  std::optional<int> number(std::size_t digits) {
    if (rest.size() < digits || !all(rest.substr(0, digits), is_digit)) return std::nullopt;
    int value = 0;
    std::from_chars(rest.data(), rest.data() + digits, value);
    rest.remove_prefix(digits);
    return value;
  }
  std::size_t skip_digits() {
    const std::size_t count = std::min(rest.size(), rest.find_first_not_of("0123456789", 0));
    rest.remove_prefix(count);
    return count;
  }

  std::string_view rest;
};

bool take_date(Front& text) {
  const auto year = text.number(4);
  if (!year || !text.take('-')) return false;
  const auto month = text.number(2);
  if (!month || *month < 1 || *month > 12 || !text.take('-')) return false;
  const auto day = text.number(2);
  constexpr std::array kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = *year % 4 == 0 && (*year % 100 != 0 || *year % 400 == 0);
  const int days = *month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(*month - 1)];
  return day && *day >= 1 && *day <= days;
}

// `12:30:00.5Z`, `12:30:00+02:00`; a leap second only at 23:59:60 UTC.
bool take_time(Front& text) {
  const auto hour = text.number(2);
  if (!hour || *hour > 23 || !text.take(':')) return false;
  const auto minute = text.number(2);
  if (!minute || *minute > 59 || !text.take(':')) return false;
  const auto second = text.number(2);
  if (!second || *second > 60) return false;
  if (text.take('.') && text.skip_digits() == 0) return false;
  int offset = 0;
  if (!text.take('Z') && !text.take('z')) {
    const bool west = text.take('-');
    if (!west && !text.take('+')) return false;
    const auto hours = text.number(2);
    if (!hours || *hours > 23 || !text.take(':')) return false;
    const auto minutes = text.number(2);
    if (!minutes || *minutes > 59) return false;
    offset = (*hours * 60 + *minutes) * (west ? -1 : 1);
  }
  constexpr int kDay = 24 * 60;
  const int in_utc = (*hour * 60 + *minute - offset + 2 * kDay) % kDay;
  return *second < 60 || in_utc == kDay - 1;
}

bool is_date(std::string_view text) {
  Front front(text);
  return take_date(front) && front.rest.empty();
}

bool is_time(std::string_view text) {
  Front front(text);
  return take_time(front) && front.rest.empty();
}

bool is_date_time(std::string_view text) {
  Front front(text);
  return take_date(front) && (front.take('T') || front.take('t')) && take_time(front) &&
         front.rest.empty();
}

// Numbers with these unit letters, in this order; returns how many, or none if malformed.
std::optional<std::size_t> take_units(Front& text, std::string_view letters) {
  std::size_t count = 0, next = 0;
  while (!text.rest.empty() && is_digit(text.rest[0])) {
    text.skip_digits();
    if (text.rest.empty()) return std::nullopt;
    const auto unit = letters.find(text.rest[0], next);
    // Units may be omitted only at the ends: `PT1H2S` is invalid.
    if (unit == std::string_view::npos || (count > 0 && unit != next)) return std::nullopt;
    text.rest.remove_prefix(1);
    next = unit + 1;
    ++count;
  }
  return count;
}

bool is_duration(std::string_view text) {
  Front front(text);
  if (!front.take('P')) return false;
  if (front.rest.ends_with('W')) {
    const bool any = front.skip_digits() > 0;
    return any && front.rest == "W";
  }
  const auto days = take_units(front, "YMD");
  if (!days) return false;
  if (!front.take('T')) return *days > 0 && front.rest.empty();
  const auto times = take_units(front, "HMS");
  return times && *times > 0 && front.rest.empty();
}

bool is_ipv4(std::string_view text) {
  Front front(text);
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && !front.take('.')) return false;
    const std::string_view before = front.rest;
    const std::size_t digits = front.skip_digits();
    if (digits == 0 || digits > 3 || (digits > 1 && before[0] == '0')) return false;
    int value = 0;
    std::from_chars(before.data(), before.data() + digits, value);
    if (value > 255) return false;
  }
  return front.rest.empty();
}

bool is_ipv6(std::string_view text) {
  constexpr std::size_t kGroups = 8;
  std::size_t groups = 0;
  bool gap = false;
  if (text.starts_with("::")) {
    gap = true;
    text.remove_prefix(2);
  }
  while (!text.empty()) {
    const std::string_view group = text.substr(0, text.find(':'));
    if (group.size() == text.size() && group.find('.') != std::string_view::npos) {
      if (!is_ipv4(group)) return false;
      groups += 2;
      text = {};
      break;
    }
    if (group.empty() || group.size() > 4 || !all(group, is_hex)) return false;
    ++groups;
    text.remove_prefix(group.size());
    if (text.empty()) break;
    text.remove_prefix(1);
    if (text.starts_with(':')) {
      if (gap) return false;
      gap = true;
      text.remove_prefix(1);
    } else if (text.empty()) {
      return false;
    }
  }
  return gap ? groups < kGroups : groups == kGroups;
}

bool is_hostname(std::string_view text) {
  constexpr std::size_t kMost = 253, kMostOfLabel = 63;
  if (text.empty() || text.size() > kMost) return false;
  for (;;) {
    const std::string_view label = text.substr(0, text.find('.'));
    if (label.empty() || label.size() > kMostOfLabel || label.front() == '-' ||
        label.back() == '-' || !all(label, [](char c) { return is_word(c) || c == '-'; }))
      return false;
    if (label.size() == text.size()) return true;
    text.remove_prefix(label.size() + 1);
  }
}

template <class MayStand>
bool is_dotted(std::string_view local, const MayStand& may_stand) {
  return !local.empty() && local.front() != '.' && local.back() != '.' &&
         local.find("..") == std::string_view::npos && all(local, may_stand);
}

bool is_mailbox(std::string_view text, bool international) {
  const auto at = text.rfind('@');
  if (at == std::string_view::npos) return false;
  const std::string_view local = text.substr(0, at);
  std::string_view host = text.substr(at + 1);
  const auto may_stand = [&](char c) {
    return is_word(c) ||
           std::string_view("!#$%&'*+-/=?^_`{|}~.").find(c) != std::string_view::npos ||
           (international && !is_ascii(c));
  };
  const bool is_quoted = local.size() >= 2 && local.front() == '"' && local.back() == '"' &&
                         all(local.substr(1, local.size() - 2),
                             [](char c) { return c != '"' && c != '\\' && c >= ' '; });
  if (!is_quoted && !is_dotted(local, may_stand)) return false;
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    return host.starts_with("IPv6:") ? is_ipv6(host.substr(5)) : is_ipv4(host);
  }
  if (!international) return is_hostname(host);
  return !host.empty() && host.find_first_of(" \t@") == std::string_view::npos;
}

bool is_email(std::string_view text) { return is_mailbox(text, false); }
bool is_idn_email(std::string_view text) { return is_mailbox(text, true); }

// Only characters that a URI may contain, and two hex digits after each `%`.
bool has_uri_signs(std::string_view text, bool international) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
    } else if (!is_word(c) && (!international || is_ascii(c)) &&
               std::string_view("-._~:/?#[]@!$&'()*+,;=").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool is_reference(std::string_view text, bool international) {
  if (!has_uri_signs(text, international)) return false;
  const UriParts parts = split_uri(text);
  if (parts.fragment.find('#') != std::string_view::npos) return false;
  for (const auto part : {parts.path, parts.query, parts.fragment})
    if (part.find_first_of("[]") != std::string_view::npos) return false;
  if (!parts.scheme.empty())
    return is_letter(parts.scheme[0]) &&
           all(parts.scheme, [](char c) { return is_word(c) || c == '+' || c == '-' || c == '.'; });
  return parts.has_authority ||
         parts.path.substr(0, parts.path.find('/')).find(':') == std::string_view::npos;
}

bool is_authority(std::string_view text) {
  if (const auto at = text.find('@'); at != std::string_view::npos) {
    if (text.substr(0, at).find_first_of("[]") != std::string_view::npos) return false;
    text.remove_prefix(at + 1);
  }
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos || !is_ipv6(text.substr(1, close - 1))) return false;
    text.remove_prefix(close + 1);
  } else {
    text.remove_prefix(std::min(text.size(), text.find(':')));
    if (text.find_first_of("[]") != std::string_view::npos) return false;
  }
  return text.empty() || (text[0] == ':' && all(text.substr(1), is_digit));
}

bool is_reference_with_host(std::string_view text, bool international) {
  if (!is_reference(text, international)) return false;
  const UriParts parts = split_uri(text);
  return !parts.has_authority || is_authority(parts.authority);
}

bool is_uri_reference(std::string_view text) { return is_reference_with_host(text, false); }
bool is_iri_reference(std::string_view text) { return is_reference_with_host(text, true); }
bool is_uri(std::string_view text) {
  return is_uri_reference(text) && !split_uri(text).scheme.empty();
}
bool is_iri(std::string_view text) {
  return is_iri_reference(text) && !split_uri(text).scheme.empty();
}

// Balanced braces around names and operators.
bool is_uri_template(std::string_view text) {
  while (!text.empty()) {
    const auto brace = text.find_first_of("{}");
    if (text.substr(0, brace).find_first_of(" \"'<>\\^`|") != std::string_view::npos) return false;
    if (brace == std::string_view::npos) return true;
    if (text[brace] == '}') return false;
    const auto close = text.find('}', brace);
    if (close == std::string_view::npos) return false;
    std::string_view names = text.substr(brace + 1, close - brace - 1);
    if (!names.empty() && std::string_view("+#./;?&").find(names[0]) != std::string_view::npos)
      names.remove_prefix(1);
    if (names.empty() || !all(names, [](char c) {
          return is_word(c) || c == '_' || c == '%' || c == '.' || c == ',' || c == ':' || c == '*';
        }))
      return false;
    text.remove_prefix(close + 1);
  }
  return true;
}

bool is_relative_json_pointer(std::string_view text) {
  Front front(text);
  const std::size_t digits = front.skip_digits();
  if (digits == 0 || (digits > 1 && text[0] == '0')) return false;
  return front.rest == "#" || base::is_json_pointer(front.rest);
}

bool is_uuid(std::string_view text) {
  constexpr std::string_view kShape = "00000000-0000-0000-0000-000000000000";
  if (text.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i)
    if (kShape[i] == '-' ? text[i] != '-' : !is_hex(text[i])) return false;
  return true;
}

bool is_regex(std::string_view text) {
  return Regex::compile(ecma_to_re2(text), Regex::Mode::as_written).has_value();
}

constexpr std::array kFormats{
    Format{"date", "a date (2026-01-31)", is_date},
    Format{"date-time", "a date and time (2026-01-31T12:30:00Z)", is_date_time},
    Format{"duration", "a duration (P3DT12H)", is_duration},
    Format{"email", "an e-mail address", is_email},
    Format{"hostname", "a host name", is_hostname},
    Format{"idn-email", "an e-mail address in any script", is_idn_email},
    Format{"ipv4", "an IPv4 address", is_ipv4},
    Format{"ipv6", "an IPv6 address", is_ipv6},
    Format{"iri", "an IRI", is_iri},
    Format{"iri-reference", "an IRI or a relative reference", is_iri_reference},
    Format{"json-pointer", "a JSON pointer (/a/0)", base::is_json_pointer},
    Format{"regex", "a regular expression that RE2 accepts", is_regex},
    Format{"relative-json-pointer", "a relative JSON pointer (1/a)", is_relative_json_pointer},
    Format{"time", "a time with a time zone (12:30:00Z)", is_time},
    Format{"uri", "a URI (https://example.com/a)", is_uri},
    Format{"uri-reference", "a URI or a relative reference", is_uri_reference},
    Format{"uri-template", "a URI template", is_uri_template},
    Format{"uuid", "a UUID", is_uuid},
};

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  for (const auto& row : kFormats)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace vibe::check
