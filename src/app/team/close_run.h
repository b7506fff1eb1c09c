// Closes a queued run that nobody will continue: it was cancelled while it waited, or can no longer
// be prepared. Charges for it, and finishes it with the results it has.
#pragma once

#include <string>

#include "app/local.h"
#include "app/team/credits.h"
#include "base/diagnostic.h"
#include "score/run.h"

namespace vibe::app {

// The run's organisation, and its store.
struct Owner {
  const std::string& organisation;
  Local& local;
  Credits& credits;
};

base::Result<void> cancel_run(const store::Claim& claim, const Owner& owner);
base::Result<void> fail_run(const store::Claim& claim, const std::string& error,
                            const Owner& owner);

// The error text of a stopped run.
std::string stopped_after(std::size_t results, std::size_t planned);

}  // namespace vibe::app
