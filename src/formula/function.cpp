#include "formula/function.h"

#include <algorithm>

namespace vibe::formula {

const Function* find_function(std::string_view name) {
  const auto found =
      std::lower_bound(kFunctions.begin(), kFunctions.end(), name,
                       [](const Function& f, std::string_view n) { return f.name < n; });
  return found != kFunctions.end() && found->name == name ? &*found : nullptr;
}

}  // namespace vibe::formula
