// ResultStream: answers with all results of a run, produced while they are sent. Results are read a
// page at a time, so that a run of any size takes little memory. Small answers are sent whole. Safe
// from any thread.
#pragma once

#include <cstdint>

#include "score/run.h"
#include "server/route.h"

namespace vibe::server {

// In the shape that polling clients expect: the results up to the arrival `until`, in the order of
// arrival. Leaves out results that are replaced while it is sent.
Response status_answer(const Call& call, score::Run run, bool is_update, std::int64_t until);

// With the results by sample, each as it is when it is sent.
Response run_answer(const Call& call, const score::Run& run);

}  // namespace vibe::server
