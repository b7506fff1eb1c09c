#include "trace/hook/layout.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace vibe::trace {

namespace {

bool is_of_number(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

// The end of a number, `true`, `false` or `null`; a null pointer for anything else.
const char* scalar_end(const char* at, const char* end) {
  const char* const begin = at;
  while (at < end && is_of_number(*at)) ++at;
  if (at > begin) return at;
  const std::string_view rest(at, static_cast<std::size_t>(end - at));
  for (const std::string_view word : {"null", "true", "false"})
    if (rest.starts_with(word)) return at + word.size();
  return nullptr;
}

// The closing quote of the text whose opening quote is before `at`; null: there is none.
const char* text_end(const char* at, const char* end, bool& has_escapes) {
  for (; at < end && *at != '"'; ++at)
    if (*at == '\\') {
      has_escapes = true;
      ++at;
    }
  return at < end ? at : nullptr;
}

}  // namespace

inline bool HookLayout::is_at(const char* at, const Lead& lead) {
#if defined(__SSE2__)
  unsigned different = 0;
  for (const std::size_t half : {std::size_t{0}, std::size_t{16}}) {
    const __m128i here = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + half));
    const __m128i want = _mm_load_si128(reinterpret_cast<const __m128i*>(lead.bytes.data() + half));
    different |= (~static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(here, want))) & 0xFFFFu)
                 << half;
    if (lead.size <= 16) break;
  }
  return (different & ((std::uint64_t{1} << lead.size) - 1)) == 0;
#else
  return std::memcmp(at, lead.bytes.data(), lead.size) == 0;
#endif
}

std::size_t HookLayout::split(std::string_view text, TextMarks& marks, Values& values) const {
  if (leads_.empty()) return 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  TextMarks::Mark mark = marks.from(at);
  for (std::size_t i = 0; i < leads_.size(); ++i) {
    const Lead& lead = leads_[i];
    if (static_cast<std::size_t>(end - at) <= lead.size || !is_at(at, lead)) return 0;
    at += lead.size;
    mark += lead.marks;
    const char* const begin = at;
    if (*at == '"') {
      at = marks.place(mark + 1);
      if (at >= end || *at != '"') return 0;
      ++at;
      mark += 2;
    } else {
      at = scalar_end(at, end);
      if (!at) return 0;
    }
    values[i] = {begin, static_cast<std::size_t>(at - begin)};
  }
  const std::string_view rest(at, static_cast<std::size_t>(end - at));
  if (!rest.starts_with(tail_)) return 0;
  if (rest.size() > tail_.size() && rest[tail_.size()] != '\n') return 0;
  marks.move_to(mark);
  return text.size() - rest.size() + tail_.size();
}

void HookLayout::learn(std::string_view line) {
  leads_.clear();
  keys_.clear();
  const char* at = line.data();
  const char* const end = at + line.size();
  std::vector<Lead> leads;
  std::vector<std::string> keys;
  const char* lead_begin = at;
  const auto skip = [&](std::string_view characters) {
    while (at < end && characters.find(*at) != std::string_view::npos) ++at;
  };
  for (skip(" \t{"); at < end && *at == '"'; skip(" \t,")) {
    const char* const key = at + 1;
    bool has_escapes = false;
    at = text_end(key, end, has_escapes);
    if (!at || has_escapes) return;
    keys.emplace_back(key, at);
    ++at;
    skip(" \t:");
    Lead lead{.size = static_cast<std::size_t>(at - lead_begin)};
    if (lead.size > lead.bytes.size() || leads.size() == kMostValues || at >= end) return;
    std::memcpy(lead.bytes.data(), lead_begin, lead.size);
    lead.marks = static_cast<std::size_t>(
        std::count_if(lead_begin, at, [](char c) { return c == '"' || c == '\t'; }));
    leads.push_back(lead);
    if (*at == '"') {
      at = text_end(at + 1, end, has_escapes);
      if (at) ++at;
    } else {
      at = scalar_end(at, end);
    }
    if (!at) return;
    lead_begin = at;
  }
  leads_ = std::move(leads);
  keys_ = std::move(keys);
  tail_.assign(lead_begin, end);
}

}  // namespace vibe::trace
