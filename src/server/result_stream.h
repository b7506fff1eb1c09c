// ResultStream: answers about a run with all of its results, made while they are sent: results are
// read a page at a time, so that a run of any size takes little memory. Small ones are answered
// whole. Safe from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "score/run.h"
#include "server/route.h"
#include "store/store.h"

namespace vibe::server {

// As those read it who wait for its end: the results that came until the arrival `until`, in the
// order in which they came. Many wait for the end of the same run: its pages are made once.
Response status_answer(const Call& call, score::Run run, bool is_update, std::int64_t until);

// With the results by sample. Those that are replaced meanwhile come once, as they were or are.
Response run_answer(const Call& call, const score::Run& run,
                    const std::vector<store::Outcome>& outcomes);

}  // namespace vibe::server
