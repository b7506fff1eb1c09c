// Labels: the outcomes of sessions, as known by a person or a test: CSV (`session,outcome`) or JSON
// lines (`{"id": …, "outcome": …}`) with session ids and 0 or 1.
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

// Each session once, in file order. Code::bad_label for every unusable line and for lines that
// contradict each other. `-` is standard input.
base::Result<std::vector<OutcomeLabel>> read_labels(const std::string& path);

}  // namespace vibe::app
