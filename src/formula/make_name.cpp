#include "formula/make_name.h"

#include <algorithm>

#include <fmt/format.h>

#include "formula/names.h"

namespace vibe::formula {

namespace {

constexpr std::size_t kMostNameBytes = 64;

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool has_meaning(std::string_view name) {
  return is_number(name) || is_keyword(name) || is_awkward(name) ||
         std::any_of(kRunMetrics.begin(), kRunMetrics.end(),
                     [&](const auto& metric) { return metric.name == name; });
}

}  // namespace

// Neither an eval's name nor derived from one.
bool NameMaker::is_free(const std::string& name) const {
  if (taken_.contains(name)) return false;
  for (const auto& figure : kDerivedFigures) {
    if (taken_.contains(name + std::string(figure.suffix))) return false;
    if (name.ends_with(figure.suffix) &&
        taken_.contains(name.substr(0, name.size() - figure.suffix.size())))
      return false;
  }
  return true;
}

std::string NameMaker::make(std::string_view text, std::string_view prefix) {
  std::string name;
  for (const char c : text) {
    if (name.size() == kMostNameBytes) break;
    if (in_name(c))
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  while (name.ends_with('-')) name.pop_back();
  if (name.empty() || has_meaning(name))
    name = name.empty() ? fmt::format("{}", prefix) : fmt::format("{}-{}", prefix, name);
  std::string out = name;
  if (!is_free(out)) {
    std::size_t& n = next_.try_emplace(name, 2).first->second;  // lower numbers are taken
    do out = fmt::format("{}-{}", name, n++);
    while (!is_free(out));
  }
  taken_.insert(out);
  return out;
}

}  // namespace vibe::formula
