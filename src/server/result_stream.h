// ResultStream: answers about a run with all of its results, made while they are sent: results are
// read a page at a time, so that a run of any size takes little memory. Small ones are answered
// whole. Safe from any thread.
#pragma once

#include <cstdint>

#include "score/run.h"
#include "server/route.h"

namespace vibe::server {

// As those read it who wait for its end: the results that came until the arrival `until`, in the
// order in which they came. Without those that are replaced while it is sent.
Response status_answer(const Call& call, score::Run run, bool is_update, std::int64_t until);

// With the results by sample, each as it is when its turn comes.
Response run_answer(const Call& call, const score::Run& run);

}  // namespace vibe::server
