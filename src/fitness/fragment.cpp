#include "fitness/fragment.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/lines.h"
#include "base/text.h"
#include "fitness/phrases.h"

namespace vibe::fitness {

namespace {

constexpr std::string_view kWhite = " \t\r\n", kEllipsis = "…";

// The length of the dots at a position: 3 or more of them, or `…`; 0: none.
std::size_t dots_at(std::string_view text, std::size_t at) {
  if (text.substr(at).starts_with(kEllipsis)) return kEllipsis.size();
  std::size_t end = at;
  while (end < text.size() && text[end] == '.') ++end;
  return end - at >= 3 ? end - at : 0;
}

void blank(std::string& text, std::size_t from, std::size_t to) {
  for (; from < to; ++from) text[from] = ' ';
}

}  // namespace

// Remembers the last non-white character while scanning: blanked dots become white space, so
// looking back could take long.
std::string without_elisions(std::string_view code, std::size_t* steps) {
  constexpr std::string_view kOpening = "({[", kClosing = ")}]";
  std::string out(code);
  std::size_t before = std::string::npos;  // the last position that is not white space
  bool begins_line = true;                 // only spaces since the line began
  std::size_t looked = 0;
  for (std::size_t at = 0; at < out.size(); ++at) {
    const std::size_t dots = dots_at(out, at);
    if (dots == 0) {
      const char c = out[at];
      if (kWhite.find(c) == std::string_view::npos) before = at;
      begins_line = c == '\n' || (begins_line && (c == ' ' || c == '\t'));
      ++looked;
      continue;
    }
    const std::size_t end = at + dots;
    const std::size_t behind = out.find_first_not_of(kWhite, end);
    const std::size_t line_end = std::min(out.find_first_not_of(" \t\r", end), out.size());
    const bool ends_line = line_end == out.size() || out[line_end] == '\n';
    looked += dots + 2 * (std::min(behind, out.size()) - end);
    const auto is = [&](std::size_t place, std::string_view any) {
      return place != std::string::npos && any.find(out[place]) != std::string_view::npos;
    };
    const bool opens = before == std::string::npos || is(before, kOpening);
    const bool closes = behind == std::string::npos || is(behind, kClosing);
    if ((begins_line || opens || is(before, ",;")) && (ends_line || closes || is(behind, ",;"))) {
      blank(out, at, end);
      // The character before this comma does not matter: dots, if any, come after what closes.
      if (closes && is(before, ",")) blank(out, before, before + 1);
      if (opens && is(behind, ",")) blank(out, behind, behind + 1);
    } else {
      before = end - 1;
      begins_line = false;
    }
    at = end - 1;
  }
  if (steps) *steps += looked;
  return out;
}

std::string without_diff_marks(std::string_view code) {
  bool marked = false, all = true;
  for (std::string_view rest = code; !rest.empty();) {
    const std::string_view line = base::next_line(rest);
    const char c = line.empty() ? ' ' : line[0];
    marked |= c == '+' || c == '-';
    all &= c == '+' || c == '-' || c == ' ' || c == '\t' || c == '@' || c == '\r';
  }
  if (!marked || !all) return std::string(code);
  std::string out;
  while (!code.empty()) {
    const std::string_view line = base::next_line(code);
    if (!line.empty() && line[0] != '-' && line[0] != '@') out += line.substr(1);
    out += '\n';
  }
  return out;
}

// In `npm install <package>` the shell sees a redirection, but people read a placeholder.
std::string repair_bash(std::string_view code) {
  std::string out(code);
  for (std::size_t at = out.find('<'); at != std::string::npos; at = out.find('<', at + 1)) {
    std::size_t end = at + 1;
    while (end < out.size() && (is_word_byte(out[end]) || std::string_view(" -./:|").find(
                                                              out[end]) != std::string_view::npos))
      ++end;
    if (end == at + 1 || end == out.size() || out[end] != '>' || out[at + 1] == ' ') continue;
    for (std::size_t i = at; i <= end; ++i)
      if (!is_word_byte(out[i])) out[i] = '_';
  }
  for (std::size_t line = 0; line < out.size();
       line = std::min(out.find('\n', line), out.size() - 1) + 1)
    if (std::string_view(out).substr(line).starts_with("$ ")) blank(out, line, line + 1);
  return out;
}

// Browsers accept a literal ampersand that does not begin an entity.
std::string repair_html(std::string_view code) {
  std::string out(code);
  for (std::size_t at = out.find('&'); at != std::string::npos; at = out.find('&', at + 1)) {
    std::size_t end = at + 1;
    while (end < out.size() && (is_word_byte(out[end]) || out[end] == '#')) ++end;
    if (end == at + 1 || end == out.size() || out[end] != ';') blank(out, at, at + 1);
  }
  return out;
}

std::string repair_python(std::string_view code) {
  std::string_view text = base::trim(code);
  if (!text.starts_with(">>> ")) return std::string(code);
  std::string out;
  while (!text.empty()) {
    const std::string_view line = base::next_line(text);
    if (line.starts_with(">>> ") || line.starts_with("... ")) out += line.substr(4);
    out += '\n';
  }
  return out;
}

std::string repair_sql(std::string_view code) {
  // Vendor-specific statements that the grammar does not know.
  constexpr std::array<std::string_view, 22> kOther{
      "analyze", "attach",  "call",   "copy", "declare", "delimiter", "desc", "describe",
      "exec",    "execute", "flush",  "go",   "grant",   "kill",      "load", "lock",
      "pragma",  "print",   "revoke", "show", "use",     "vacuum"};
  std::string out(code);
  bool begins = true;  // a statement
  char quote = 0;
  for (std::size_t at = 0; at < out.size(); ++at) {
    const char c = out[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '\'' || c == '"' || c == '`') quote = c;
    if (c == ';') begins = true;
    if (kWhite.find(c) != std::string_view::npos || c == ';') continue;
    if (out.compare(at, 2, "--") == 0) {
      at = std::min(out.find('\n', at), out.size());
      continue;
    }
    std::size_t end = at;
    while (end < out.size() && is_word_byte(out[end])) ++end;
    const std::string word = base::lower_ascii(std::string_view(out).substr(at, end - at));
    if (begins && std::find(kOther.begin(), kOther.end(), word) != kOther.end()) {
      end = std::min(out.find(';', at), out.size() - 1) + 1;
      for (std::size_t i = at; i < end; ++i)
        if (out[i] != '\n') out[i] = ' ';
    } else if (word == "top") {  // SELECT TOP 10
      blank(out, at, end);
      while (end < out.size() &&
             std::string_view(" ()0123456789").find(out[end]) != std::string_view::npos)
        out[end++] = ' ';
    } else if (c == '[') {  // [a name]
      end = std::min(out.find_first_of("]\n", at), out.size() - 1) + 1;
      for (std::size_t i = at; i < end; ++i)
        if (!is_word_byte(out[i]) && out[i] != '\n') out[i] = '_';
    } else if (c == '@' || c == '?' || c == '#') {
      out[at] = '_';
    } else if (c == ':' && at + 1 < out.size() && is_word_byte(out[at + 1]) &&
               (at == 0 || out[at - 1] != ':')) {
      out[at] = '_';
    }
    begins = begins && end > at && out[end - 1] == ' ';
    if (end > at) at = end - 1;
  }
  return out;
}

}  // namespace vibe::fitness
