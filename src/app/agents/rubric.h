// Reads the rubric that a command names, or uses the built-in one.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "fitness/rubric.h"

namespace vibe::app {

// Null if it cannot be used; the diagnostics say why. `-` is standard input; no path means the
// built-in rubric.
std::shared_ptr<const fitness::Rubric> load_rubric(const std::optional<std::string>& path,
                                                   base::Diagnostics& out);

std::shared_ptr<const fitness::Rubric> default_rubric();

// For text that is already read; null as above.
std::shared_ptr<const fitness::Rubric> read_rubric(const base::SourcePtr& source,
                                                   base::Diagnostics& out);

}  // namespace vibe::app
