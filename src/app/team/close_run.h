// Closes a run of the queue that nobody goes on with: one that was cancelled while it waited, or
// that cannot be prepared any more. It is charged for, and finished with the results that it has.
#pragma once

#include <string>

#include "app/local.h"
#include "app/team/credits.h"
#include "base/diagnostic.h"
#include "score/run.h"

namespace vibe::app {

// Whose run it is, and where it is kept.
struct Owner {
  const std::string& organisation;
  Local& local;
  Credits& credits;
};

base::Result<void> cancel_run(const store::Claim& claim, const Owner& owner);
base::Result<void> fail_run(const store::Claim& claim, const std::string& error,
                            const Owner& owner);

// What a run says that was stopped.
std::string stopped_after(std::size_t results, std::size_t planned);

}  // namespace vibe::app
