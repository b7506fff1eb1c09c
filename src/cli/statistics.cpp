#include "cli/statistics.h"

#include <limits>

namespace vibe::cli {

statistics::Settings read_statistics(const Arguments& arguments, base::Diagnostics& out) {
  statistics::Settings settings;
  const auto seed = integer(arguments, "--seed", out, 0, std::numeric_limits<std::int64_t>::max());
  const auto draws =
      integer(arguments, "--draws", out, statistics::kLeastDraws, statistics::kMostDraws);
  if (seed) settings.seed = static_cast<std::uint64_t>(*seed);
  if (draws) settings.draws = static_cast<std::size_t>(*draws);
  settings.level =
      number(arguments, "--level", out, statistics::kLeastLevel, statistics::kMostLevel)
          .value_or(settings.level);
  return settings;
}

}  // namespace vibe::cli
