#include "check/glob.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "base/text.h"

namespace vibe::check {

namespace {

constexpr char32_t kAnyOne = 0x110000;  // `?`; not a valid character
constexpr std::size_t kNowhere = std::string_view::npos;

char32_t point_of(char byte) { return static_cast<unsigned char>(byte); }
char32_t point_of(char32_t point) { return point; }

bool fits_point(char32_t wanted, char32_t seen) { return wanted == seen || wanted == kAnyOne; }

template <class View>
bool fits_at(View text, std::size_t at, const std::u32string& run, std::size_t& steps) {
  for (std::size_t i = 0; i < run.size(); ++i) {
    ++steps;
    if (!fits_point(run[i], point_of(text[at + i]))) return false;
  }
  return true;
}

// For each prefix of the run, the length of the longest shorter prefix that it ends with.
std::vector<std::size_t> borders_of(const std::u32string& run, std::size_t& steps) {
  std::vector<std::size_t> out(run.size(), 0);
  for (std::size_t i = 1, held = 0; i < run.size(); ++i) {
    for (; held > 0 && run[i] != run[held]; ++steps) held = out[held - 1];
    if (run[i] == run[held]) ++held;
    out[i] = held;
    ++steps;
  }
  return out;
}

// Knuth-Morris-Pratt: the end of the first match of a run without `?`.
template <class View>
std::size_t find_plain(View text, std::size_t from, const std::u32string& run, std::size_t& steps) {
  using Traits = typename View::traits_type;
  if (sizeof(typename View::value_type) == 1 && run[0] >= 0x80) return kNowhere;
  const auto first = static_cast<typename View::value_type>(run[0]);
  const auto borders = borders_of(run, steps);
  std::size_t held = 0;
  for (std::size_t at = from; at < text.size(); ++at) {
    if (held == 0) {
      const auto* found = Traits::find(text.data() + at, text.size() - at, first);
      if (!found) return kNowhere;
      const auto next = static_cast<std::size_t>(found - text.data());
      steps += next - at;
      at = next;
    }
    const char32_t point = point_of(text[at]);
    for (; held > 0 && run[held] != point; ++steps) held = borders[held - 1];
    if (run[held] == point) ++held;
    ++steps;
    if (held == run.size()) return at + 1;
  }
  return kNowhere;
}

// The positions of a character in a run, 64 per word; empty words are omitted.
struct Places {
  std::size_t word;
  std::uint64_t bits;
};

void add_place(std::vector<Places>& places, std::size_t at) {
  if (places.empty() || places.back().word != at / 64) places.push_back({at / 64, 0});
  places.back().bits |= std::uint64_t{1} << (at % 64);
}

// Shift-And: bit i of `open` says that the first i + 1 characters of the run match here. Finds the
// end of the first match of a run with `?`.
template <class View>
std::size_t find_with_gaps(View text, std::size_t from, const std::u32string& run,
                           std::size_t& steps) {
  std::unordered_map<char32_t, std::vector<Places>> places;
  for (std::size_t i = 0; i < run.size(); ++i) add_place(places[run[i]], i);
  const std::size_t words = (run.size() + 63) / 64;
  std::vector<std::uint64_t> open(words, 0), next(words, 0);
  const auto keep = [&](char32_t point) {
    const auto found = places.find(point);
    if (found == places.end()) return;
    for (const auto& [word, bits] : found->second) next[word] |= open[word] & bits;
    steps += found->second.size();
  };
  for (std::size_t at = from; at < text.size(); ++at) {
    std::uint64_t carry = 1;
    for (std::uint64_t& word : open) {
      const std::uint64_t top = word >> 63;
      word = word << 1 | carry;
      carry = top;
    }
    std::fill(next.begin(), next.end(), 0);
    keep(kAnyOne);
    keep(point_of(text[at]));
    std::swap(open, next);
    steps += words;
    if (open.back() >> ((run.size() - 1) % 64) & 1) return at + 1;
  }
  return kNowhere;
}

template <class View>
bool matches_runs(const std::vector<std::u32string>& runs, View text, std::size_t& steps) {
  const std::u32string& first = runs.front();
  if (!fits_at(text, 0, first, steps)) return false;
  if (runs.size() == 1) return first.size() == text.size();
  const std::u32string& last = runs.back();
  if (!fits_at(text, text.size() - last.size(), last, steps)) return false;

  const View between = text.substr(0, text.size() - last.size());
  std::size_t at = first.size();
  for (std::size_t i = 1; i + 1 < runs.size(); ++i) {
    const std::u32string& run = runs[i];
    if (run.empty()) continue;
    at = run.find(kAnyOne) == run.npos ? find_plain(between, at, run, steps)
                                       : find_with_gaps(between, at, run, steps);
    if (at == kNowhere) return false;
  }
  return true;
}

std::u32string fold(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto point = base::decode(text, at);
    out += base::fold_case(point.value);
    at += point.length;
  }
  return out;
}

}  // namespace

FoldedText::FoldedText(std::string_view text)
    : ascii_(
          std::all_of(text.begin(), text.end(), [](char byte) { return point_of(byte) < 0x80; })) {
  if (!ascii_) {
    points_ = fold(text);
    return;
  }
  bytes_ = base::lower_ascii(text);
}

Glob::Glob(std::string_view pattern) {
  for (;;) {
    const auto star = pattern.find('*');
    std::u32string& run = runs_.emplace_back(fold(pattern.substr(0, star)));
    std::replace(run.begin(), run.end(), U'?', kAnyOne);
    length_ += run.size();
    if (star == pattern.npos) return;
    pattern.remove_prefix(star + 1);
  }
}

bool Glob::matches(const FoldedText& text, std::size_t* steps) const {
  std::size_t unused = 0;
  std::size_t& counted = steps ? *steps : unused;
  if (length_ > std::max(text.bytes().size(), text.points().size())) return false;
  return text.is_ascii() ? matches_runs(runs_, text.bytes(), counted)
                         : matches_runs(runs_, text.points(), counted);
}

}  // namespace vibe::check
