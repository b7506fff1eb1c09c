#include "app/runs/measure_history.h"

#include <algorithm>

#include "app/runs/scorable.h"
#include "score/measured.h"

namespace vibe::app {

namespace {

constexpr std::size_t kAtOnce = 100;  // runs that are looked up together

base::Result<score::Measured> measure_run(store::Runs& stored, const std::string& id, bool files) {
  VIBE_TRY(const auto run, stored.find(id));
  if (!run) return base::fail(base::Code::not_found, {}, "there is no such run");
  VIBE_TRY(const auto samples, samples_of(stored, *run, files));
  VIBE_TRY(const auto program, program_of(*run, samples));
  return score::measure(program, samples);
}

}  // namespace

base::Result<std::size_t> measure_history(store::Store& store, const MeasureOptions& options) {
  std::size_t done = 0;
  while (done < options.most) {
    VIBE_TRY(const auto runs, store.journal().unmeasured(std::min(kAtOnce, options.most - done)));
    for (const auto& run : runs) {
      const auto measured = measure_run(store.archive().runs(), run, options.files);
      VIBE_TRY(store.journal().add_measured(run, measured.value_or(score::Measured())));
      ++done;
      if (options.continue_after && !options.continue_after(done)) return done;
    }
    if (runs.empty()) break;
  }
  return done;
}

}  // namespace vibe::app
