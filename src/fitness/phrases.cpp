#include "fitness/phrases.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace vibe::fitness {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The ASCII equivalent of a mark; 0: none.
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

// The folded form of ASCII characters, with control characters as blanks; 0 for other bytes.
constexpr std::array<char, 256> kPlain = [] {
  std::array<char, 256> out{};
  for (int c = 0; c < 128; ++c)
    out[static_cast<std::size_t>(c)] = c > ' ' ? base::lower_ascii(static_cast<char>(c)) : ' ';
  for (const char c : {'\r', '\n'}) out[static_cast<unsigned char>(c)] = '\n';
  return out;
}();

// The marks that may end a sentence, and the backtick.
constexpr std::array<bool, 256> kMarks = [] {
  std::array<bool, 256> out{};
  for (const char c : {'.', '!', '?', '`', kGap[0]}) out[static_cast<unsigned char>(c)] = true;
  return out;
}();

void append_plain(std::string& out, char c) {
  if (c != ' ' && c != '\n') {
    out += c;
  } else if (!out.empty()) {
    char& last = out.back();
    if (last != ' ' && last != '\n')
      out += c;
    else if (c == '\n')
      last = c;
  }
}

void append_folded(std::string& out, char32_t value) {
  if (value < 0x80)
    append_plain(out, kPlain[value]);
  else if (const char mark = plain(value))
    append_plain(out, mark);
  else
    base::append_utf8(out, base::fold_case(value));
}

std::size_t pair(char first, char second) {
  return std::size_t{static_cast<unsigned char>(first)} << 8U | static_cast<unsigned char>(second);
}

// Whether the words are at that position, on one line or across line breaks.
bool stands_at(std::string_view text, std::size_t at, std::string_view words) {
  if (text.size() - at < words.size()) return false;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (text[at + i] != words[i] && (text[at + i] != '\n' || words[i] != ' ')) return false;
  return true;
}

bool ends_within_word(std::string_view text, std::size_t end) {
  return end < text.size() && is_word_byte(text[end]) && is_word_byte(text[end - 1]);
}

bool begins_sentence(std::string_view text, std::size_t at) {
  if (at == 0 || text[at - 1] == '\n') return true;
  return at > 1 && text[at - 1] == ' ' &&
         (text[at - 2] == '.' || text[at - 2] == '!' || text[at - 2] == '?');
}

}  // namespace

std::string folded(std::string_view text) {
  std::string out(text.size(), '\0');
  std::size_t at = 0, size = 0;
  for (; at < text.size(); ++at) {  // most texts are plain ASCII
    const char c = kPlain[static_cast<unsigned char>(text[at])];
    if (c > ' ')
      out[size++] = c;
    else if (c == 0)
      break;
    else if (size > 0 && out[size - 1] > ' ')
      out[size++] = c;
    else if (size > 0 && c == '\n')
      out[size - 1] = c;
  }
  out.resize(size);
  while (at < text.size()) {
    if (text[at] == '\xCC' || text[at] == '\xCD') {
      // Combining accents: compose them with their letters first.
      out.clear();
      for (const char32_t value : base::to_nfkc(text)) append_folded(out, value);
      break;
    }
    const auto one = base::decode(text, at);
    append_folded(out, one.value);
    at += one.length;
  }
  if (!out.empty() && (out.back() == ' ' || out.back() == '\n')) out.pop_back();
  return out;
}

std::size_t count_words(std::string_view text) {
  std::size_t count = 0;
  bool counted = false;  // the current run
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
    // Keeps line breaks, so that line numbers stay the same.
    for (const char c : text.substr(tick, end - tick))
      if (c == '\n') out += '\n';
    at = end + 1;
  }
  return out;
}

std::vector<std::string_view> sentences(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  std::size_t end = 0, next = 0;  // ends of a run of marks and of the space after it: scanned once
  bool in_code = false;
  const auto add = [&](std::size_t to) {
    const std::string_view one = base::trim(text.substr(begin, to - begin));
    if (!one.empty()) out.push_back(one);
    begin = to;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (!kMarks[static_cast<unsigned char>(c)]) continue;
    if (c == '`') in_code = !in_code;
    if (in_code || c == '`' || (c == kGap[0] && !text.substr(at).starts_with(kGap))) continue;
    end = std::max(end, at + (c == kGap[0] ? kGap.size() : 1));
    while (end < text.size() && !is_space(text[end]) && !is_word_byte(text[end])) ++end;
    if (end < text.size() && !is_space(text[end])) continue;  // 1.5, `a.b`
    next = std::max(next, end);
    while (next < text.size() && is_space(text[next])) ++next;
    const bool goes_on =
        (c == '.' || c == kGap[0]) && next < text.size() && text[next] >= 'a' && text[next] <= 'z';
    if (goes_on) continue;  // e.g. so
    add(end);
    at = end - 1;
  }
  add(text.size());
  return out;
}

PhraseFinder::PhraseFinder(std::span<const std::string> phrases) {
  std::vector<Phrase> all;
  all.reserve(phrases.size());
  for (std::string_view text : phrases) {
    const bool at_start = text.starts_with('^');
    if (at_start) text.remove_prefix(1);
    const std::size_t gap = text.find(kGap);
    Phrase phrase{folded(text.substr(0, gap)), {}, at_start};
    if (gap != std::string_view::npos) phrase.tail = folded(text.substr(gap + kGap.size()));
    if (phrase.head.empty()) continue;
    const auto first = static_cast<unsigned char>(phrase.head[0]);
    ++of_byte_[first + std::size_t{1}];
    if (phrase.head.size() > 1) {
      pairs_.set(pair(phrase.head[0], phrase.head[1]));
      if (phrase.head[1] == ' ') pairs_.set(pair(phrase.head[0], '\n'));
    } else {
      for (std::size_t second = 0; second < 256; ++second)
        pairs_.set(std::size_t{first} << 8U | second);
    }
    all.push_back(std::move(phrase));
  }
  for (std::size_t i = 1; i < of_byte_.size(); ++i) of_byte_[i] += of_byte_[i - 1];
  auto next = of_byte_;
  phrases_.resize(all.size());
  for (Phrase& phrase : all)
    phrases_[next[static_cast<unsigned char>(phrase.head[0])]++] = std::move(phrase);
}

// The end of the phrase, if it is at that position.
std::optional<std::size_t> PhraseFinder::match(const Phrase& phrase, std::string_view text,
                                               std::size_t at) {
  constexpr std::size_t kMostGap = 80;  // bytes
  if (!stands_at(text, at, phrase.head)) return std::nullopt;
  std::size_t end = at + phrase.head.size();
  if (!phrase.tail.empty()) {
    if (ends_within_word(text, end) && text[end] != '_') return std::nullopt;  // `<your_name>`
    std::string_view rest = text.substr(end, kMostGap + phrase.tail.size());
    rest = rest.substr(0, rest.find('\n'));
    const std::size_t tail = rest.find(phrase.tail);
    if (tail == std::string_view::npos) return std::nullopt;
    end += tail + phrase.tail.size();
  }
  return ends_within_word(text, end) ? std::nullopt : std::optional(end);
}

std::optional<PhraseFinder::Found> PhraseFinder::find(std::string_view text) const {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!pairs_.test(pair(text[at], at + 1 < text.size() ? text[at + 1] : ' '))) continue;
    if (at > 0 && is_word_byte(text[at]) && is_word_byte(text[at - 1])) continue;
    const auto byte = static_cast<unsigned char>(text[at]);
    for (std::size_t i = of_byte_[byte]; i < of_byte_[byte + std::size_t{1}]; ++i) {
      if (phrases_[i].at_start && !begins_sentence(text, at)) continue;
      if (const auto end = match(phrases_[i], text, at)) return Found{at, *end};
    }
  }
  return std::nullopt;
}

}  // namespace vibe::fitness
