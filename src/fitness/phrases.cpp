#include "fitness/phrases.h"

#include <algorithm>

#include "base/text.h"

namespace vibe::fitness {

namespace {

constexpr std::string_view kGap = "…";

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Marks that have a likeness in ASCII; 0: none.
char plain(char32_t value) {
  switch (value) {
    case U'\u2018':
    case U'\u2019':
    case U'\u02BC': return '\'';
    case U'\u201C':
    case U'\u201D':
    case U'\u00AB':
    case U'\u00BB': return '"';
    case U'\u2010':
    case U'\u2011':
    case U'\u2012':
    case U'\u2013':
    case U'\u2014': return '-';
    case U'\u2026': return '.';
    case U'\u00A0':
    case U'\u3000':
    case U'\uFEFF': return ' ';
    default: return value >= 0x2000 && value <= 0x206F ? ' ' : '\0';
  }
}

void append_folded(std::string& out, char32_t value) {
  if (const char mark = plain(value)) {
    if (mark != ' ' || (!out.empty() && out.back() != ' ')) out += mark;
    return;
  }
  base::append_utf8(out, base::fold_case(value));
}

}  // namespace

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string folded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  // Accents that stand beside their letters have to be put on them first.
  if (text.find_first_of("\xCC\xCD") != std::string_view::npos) {
    for (const char32_t value : base::to_nfkc(text)) {
      if (value < 0x80 && is_space(static_cast<char>(value)))
        append_folded(out, U'\u00A0');
      else
        append_folded(out, value);
    }
  } else {
    for (std::size_t at = 0; at < text.size();) {
      if (const char c = text[at]; static_cast<unsigned char>(c) < 0x80) {
        if (!is_space(c))
          out += base::lower_ascii(c);
        else if (!out.empty() && out.back() != ' ')
          out += ' ';
        ++at;
        continue;
      }
      const auto one = base::decode(text, at);
      append_folded(out, one.value);
      at += one.length;
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::size_t count_words(std::string_view text) {
  std::size_t count = 0;
  bool counted = false;  // the run that is being read
  for (const char c : text) {
    if (is_space(c)) {
      counted = false;
    } else if (!counted && is_word_byte(c)) {
      counted = true;
      ++count;
    }
  }
  return count;
}

std::string without_code_spans(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t tick = std::min(text.find('`', at), text.size());
    out += text.substr(at, tick - at);
    if (tick == text.size()) break;
    const std::size_t end = text.find('`', tick + 1);
    if (end == std::string_view::npos) {
      out += text.substr(tick);
      break;
    }
    out += 'x';
    // Breaks stay, so that lines keep their numbers.
    for (const char c : text.substr(tick, end - tick))
      if (c == '\n') out += '\n';
    at = end + 1;
  }
  return out;
}

std::vector<std::string_view> sentences(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  bool in_code = false;
  const auto add = [&](std::size_t end) {
    const std::string_view one = base::trim(text.substr(begin, end - begin));
    if (!one.empty()) out.push_back(one);
    begin = end;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '`') in_code = !in_code;
    if (in_code || (c != '.' && c != '!' && c != '?' && !text.substr(at).starts_with(kGap)))
      continue;
    std::size_t end = at + 1;
    while (end < text.size() && !is_space(text[end]) && !is_word_byte(text[end])) ++end;
    if (end < text.size() && !is_space(text[end])) continue;  // 1.5, `a.b`
    std::size_t next = end;
    while (next < text.size() && is_space(text[next])) ++next;
    const bool goes_on = c == '.' && next < text.size() && text[next] >= 'a' && text[next] <= 'z';
    if (goes_on) continue;  // e.g. so
    add(end);
    at = end - 1;
  }
  add(text.size());
  return out;
}

PhraseFinder::PhraseFinder(std::span<const std::string> phrases) {
  for (std::string_view text : phrases) {
    const bool at_start = text.starts_with('^');
    if (at_start) text.remove_prefix(1);
    const std::size_t gap = text.find(kGap);
    Phrase phrase{folded(text.substr(0, gap)), {}, at_start};
    if (gap != std::string_view::npos) phrase.tail = folded(text.substr(gap + kGap.size()));
    if (!phrase.head.empty()) phrases_.push_back(std::move(phrase));
  }
  const auto first = [](const Phrase& phrase) {
    return static_cast<unsigned char>(phrase.head[0]);
  };
  std::stable_sort(phrases_.begin(), phrases_.end(),
                   [&](const Phrase& a, const Phrase& b) { return first(a) < first(b); });
  for (const Phrase& phrase : phrases_) ++of_byte_[first(phrase) + std::size_t{1}];
  for (std::size_t i = 1; i < of_byte_.size(); ++i)
    of_byte_[i] = static_cast<std::uint32_t>(of_byte_[i] + of_byte_[i - 1]);
}

// Where the phrase ends, if it stands there.
std::optional<std::size_t> PhraseFinder::match(const Phrase& phrase, std::string_view text,
                                               std::size_t at) const {
  constexpr std::size_t kMostGap = 80;  // bytes
  if (text.compare(at, phrase.head.size(), phrase.head) != 0) return std::nullopt;
  std::size_t end = at + phrase.head.size();
  if (!phrase.tail.empty()) {
    const std::string_view rest = text.substr(end, kMostGap + phrase.tail.size());
    const std::size_t tail = rest.find(phrase.tail);
    if (tail == std::string_view::npos) return std::nullopt;
    end += tail + phrase.tail.size();
  }
  const bool ends_within =
      end < text.size() && is_word_byte(text[end]) && is_word_byte(text[end - 1]);
  return ends_within ? std::nullopt : std::optional(end);
}

std::optional<PhraseFinder::Found> PhraseFinder::find(std::string_view text) const {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (of_byte_[byte] == of_byte_[byte + std::size_t{1}]) continue;
    if (at > 0 && is_word_byte(text[at]) && is_word_byte(text[at - 1])) continue;
    for (std::size_t i = of_byte_[byte]; i < of_byte_[byte + std::size_t{1}]; ++i) {
      if (phrases_[i].at_start && at > 0) continue;
      if (const auto end = match(phrases_[i], text, at)) return Found{at, *end};
    }
  }
  return std::nullopt;
}

}  // namespace vibe::fitness
