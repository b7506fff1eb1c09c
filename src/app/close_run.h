// Closes a run that nobody goes on with: one that was cancelled while it waited, or that cannot be
// prepared any more. It is finished with the results that it has.
#pragma once

#include <string>
#include <vector>

#include "app/local.h"
#include "base/diagnostic.h"
#include "score/run.h"

namespace vibe::app {

// `run` is whole, with its suite's text. Its results, once the store has it.
base::Result<std::vector<score::Result>> close_run(score::Run run, score::RunStatus status,
                                                   std::string error, Local& local);

// What a run says that was stopped.
std::string stopped_after(std::size_t results, std::size_t planned);

}  // namespace vibe::app
