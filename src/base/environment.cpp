#include "base/environment.h"

#include <cstdlib>
#include <cstring>

#include <sys/prctl.h>

namespace vibe::base {

void forget_variable(const char* name) {
  char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  if (value == nullptr) return;
  ::explicit_bzero(value, std::strlen(value));
  ::unsetenv(name);  // NOLINT(concurrency-mt-unsafe)
}

void forbid_tracing() { ::prctl(PR_SET_DUMPABLE, 0); }

}  // namespace vibe::base
