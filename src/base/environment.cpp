#include "base/environment.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>

#include <sys/prctl.h>
#include <unistd.h>

namespace vibe::base {

namespace {

constexpr std::array<std::string_view, 4> kSecretEndings{"_KEY", "_TOKEN", "_SECRET", "_PASSWORD"};

bool holds_secret(std::string_view name) {
  return std::any_of(kSecretEndings.begin(), kSecretEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

void hide_secrets() {
  static std::deque<std::string> kept;  // `environ` points into it from here on
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    char* const equals = std::strchr(*entry, '=');
    if (equals == nullptr || !holds_secret({*entry, static_cast<std::size_t>(equals - *entry)}))
      continue;
    char* const shown = equals + 1;
    *entry = kept.emplace_back(*entry).data();
    ::explicit_bzero(shown, std::strlen(shown));
  }
}

void forget_variable(const char* name) {
  char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  if (value == nullptr) return;
  ::explicit_bzero(value, std::strlen(value));
  ::unsetenv(name);  // NOLINT(concurrency-mt-unsafe)
}

void forbid_tracing() { ::prctl(PR_SET_DUMPABLE, 0); }

}  // namespace vibe::base
