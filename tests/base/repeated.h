// Long texts for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace vibe::test {

// By doubling: tests are not optimised, and some of these texts are of 64 MB.
inline std::string repeated(std::string_view text, std::size_t times) {
  const std::size_t size = text.size() * times;
  std::string out;
  out.reserve(size);
  if (size > 0) out = text;
  while (out.size() < size) out.append(out, 0, std::min(out.size(), size - out.size()));
  return out;
}

}  // namespace vibe::test
