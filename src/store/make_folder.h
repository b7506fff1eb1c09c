// The folder that a store is in.
#pragma once

#include <string>

#include "base/diagnostic.h"

namespace vibe::store {

// With those above it that are missing; all for their owner alone (mode 700).
base::Result<void> make_folder(const std::string& folder);

}  // namespace vibe::store
