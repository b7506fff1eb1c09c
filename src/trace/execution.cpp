#include "trace/execution.h"

#include <algorithm>
#include <cstdlib>

namespace vibe::trace {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::unknown: return "unknown";
    case Outcome::success: return "success";
    case Outcome::failure: return "failure";
  }
  std::abort();
}

std::optional<Outcome> outcome(std::string_view name) {
  for (const Outcome each : {Outcome::unknown, Outcome::success, Outcome::failure})
    if (name == to_string(each)) return each;
  return std::nullopt;
}

std::string_view shortened_name(std::string_view name) {
  if (name.size() <= kMostName) return name;
  std::size_t end = kMostName;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return name.substr(0, end);
}

void Tokens::add(const Tokens& more) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000;  // as in count_of()
  if (!any()) cache_in_input = more.cache_in_input;
  if (cache_in_input != more.cache_in_input && more.any()) {  // convert one of them
    input = std::min(all_input(), kMost);
    Tokens other = more;
    other.input = std::min(more.all_input(), kMost);
    cache_in_input = other.cache_in_input = true;
    return add(other);
  }
  for (const auto count :
       {&Tokens::input, &Tokens::output, &Tokens::cache_read, &Tokens::cache_write})
    this->*count = std::min(this->*count + std::min(more.*count, kMost), kMost);
}

std::int64_t Tokens::all_input() const {
  return input + (cache_in_input ? 0 : cache_read + cache_write);
}

}  // namespace vibe::trace
