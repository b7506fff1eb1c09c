// Feed: what a server reads to show runs while they change: results in the order in which they
// came, and lists that say which of their runs have changed. Belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "score/run.h"
#include "store/archive.h"

namespace vibe::store {

// A result, and its place among those of its run in the order in which they came: from 1, and
// larger for each that is added later.
struct Arrival {
  std::int64_t number = 0;
  score::Result result;
};

// What a progress counter needs of a result.
struct Outcome {
  std::uint32_t sample = 0;
  bool passed = false;
};

struct RunProgress {
  score::RunStatus status = score::RunStatus::queued;
  std::int64_t last_arrival = 0;  // 0: there is no result yet
  std::uint32_t planned = 0;      // samples
};

// The stamp rises with each change of what lists show of the run.
struct ListedRun {
  std::string id;
  std::int64_t stamp = 0;
};

class Feed {
 public:
  virtual ~Feed() = default;
  virtual base::Result<std::optional<RunProgress>> progress(std::string_view run) = 0;  // or none
  // At most `most` of those after the arrival `after`, in their order.
  virtual base::Result<std::vector<Arrival>> arrivals(std::string_view run, std::int64_t after,
                                                      std::size_t most) = 0;
  // By sample: of the results that are there, those that came until the arrival `until`.
  virtual base::Result<std::vector<Outcome>> outcomes(std::string_view run, std::int64_t until) = 0;
  // By sample: at most `most`, from this one on.
  virtual base::Result<std::vector<score::Result>> results_from(std::string_view run,
                                                                std::uint32_t sample,
                                                                std::size_t most) = 0;
  // The list of Runs::list() in two steps, for callers that cache rendered runs: which runs are
  // there, then those that the caller has not seen yet.
  virtual base::Result<Page<ListedRun>> list(const RunQuery& query) = 0;
  // In the order of the ids, as Runs::list() has them; without those that are not there.
  virtual base::Result<std::vector<score::Run>> runs_of(std::span<const std::string> ids) = 0;
};

}  // namespace vibe::store
