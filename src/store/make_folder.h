// Creates the folder of a store.
#pragma once

#include <string>

#include "base/diagnostic.h"

namespace vibe::store {

// Also creates missing parent folders; all with mode 700.
base::Result<void> make_folder(const std::string& folder);

}  // namespace vibe::store
