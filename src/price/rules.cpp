#include "price/rules.h"

#include <algorithm>

#include "base/text.h"

namespace vibe::price {
namespace {

constexpr std::size_t kExact = 1u << 20;

bool fits_one(char rule, char c) {
  return rule == '#' ? c >= '0' && c <= '9' : base::lower_ascii(rule) == base::lower_ascii(c);
}

// Removes the text before the first `separator`, and the separator, from `rest`; returns the text.
std::string_view take(std::string_view& rest, char separator) {
  const auto end = std::min(rest.find(separator), rest.size());
  const auto taken = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return taken;
}

std::size_t fit_one(std::string_view rule, std::string_view name) {
  const auto glob = take(rule, '!');
  if (glob.empty() || !fits_rule(glob, name)) return 0;
  while (!rule.empty())
    if (fits_rule(take(rule, '!'), name)) return 0;
  if (glob.find_first_of("*#") == std::string_view::npos) return kExact;
  return 1 + glob.size() - static_cast<std::size_t>(std::ranges::count(glob, '*'));
}

}  // namespace

bool fits_rule(std::string_view glob, std::string_view name) {
  std::size_t g = 0, n = 0;
  auto star = std::string_view::npos;  // the last `*`, and where its match begins in the name
  std::size_t mark = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      mark = n;
    } else if (g < glob.size() && fits_one(glob[g], name[n])) {
      ++g;
      ++n;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

std::size_t fit(std::string_view alternatives, std::string_view name) {
  std::size_t best = 0;
  while (!alternatives.empty()) best = std::max(best, fit_one(take(alternatives, ' '), name));
  return best;
}

}  // namespace vibe::price
