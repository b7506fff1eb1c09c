// Reads the rubric that a command names, or takes the one that is built in.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "fitness/rubric.h"

namespace vibe::app {

// Null where it cannot be used; the diagnostics say why. `-` is standard input, no path the rubric
// that is built in.
std::shared_ptr<const fitness::Rubric> load_rubric(const std::optional<std::string>& path,
                                                   base::Diagnostics& out);

std::shared_ptr<const fitness::Rubric> default_rubric();

// One that is read already; null likewise.
std::shared_ptr<const fitness::Rubric> read_rubric(const base::SourcePtr& source,
                                                   base::Diagnostics& out);

}  // namespace vibe::app
