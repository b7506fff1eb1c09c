// Labels: how sessions turned out, as a person or a test knows it: CSV (`session,outcome`) or JSON
// lines (`{"id": …, "outcome": …}`) of session ids and 0 or 1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace vibe::app {

struct OutcomeLabel {
  std::string session;
  bool good = false;
  std::uint64_t line = 0;
};

// Each session once, in the order of the file. Code::bad_label for every line that makes no sense,
// and for two that disagree. `-` is standard input.
base::Result<std::vector<OutcomeLabel>> read_labels(const std::string& path);

}  // namespace vibe::app
