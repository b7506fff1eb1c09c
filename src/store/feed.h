// Feed: what a server reads to show runs while they change: results in the order of arrival, and
// lists that say which of their runs have changed. Belongs to one thread.
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

// A result and its arrival number within the run: from 1, and larger for each later one.
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
  std::int64_t last_arrival = 0;  // 0: no result yet
  std::uint32_t planned = 0;      // samples
};

// The stamp rises with each change that lists show.
struct ListedRun {
  std::string id;
  std::int64_t stamp = 0;
};

class Feed {
 public:
  virtual ~Feed() = default;
  virtual base::Result<std::optional<RunProgress>> progress(std::string_view run) = 0;  // or none
  // At most `most` of the arrivals after `after`, in order.
  virtual base::Result<std::vector<Arrival>> arrivals(std::string_view run, std::int64_t after,
                                                      std::size_t most) = 0;
  // By sample: the existing results that arrived up to `until`.
  virtual base::Result<std::vector<Outcome>> outcomes(std::string_view run, std::int64_t until) = 0;
  // By sample: at most `most`, starting with this one.
  virtual base::Result<std::vector<score::Result>> results_from(std::string_view run,
                                                                std::uint32_t sample,
                                                                std::size_t most) = 0;
  // The list of Runs::list() in two steps, for callers that cache rendered runs: first which runs
  // it has, then the runs that the caller does not have yet.
  virtual base::Result<Page<ListedRun>> list(const RunQuery& query) = 0;
  // In the order of the ids, as in Runs::list(); skips runs that do not exist.
  virtual base::Result<std::vector<score::Run>> runs_of(std::span<const std::string> ids) = 0;
};

}  // namespace vibe::store
