// Rescores the runs of a server: it reads them there, and sends the outcome line by line.
#pragma once

#include "base/diagnostic.h"
#include "remote/server.h"
#include "store/rescoring.h"

namespace vibe::remote {

// False: the watcher stopped it.
base::Result<bool> rescore(Server& server, const store::RescoreRequest& request,
                           store::RescoreWatcher& watcher);

}  // namespace vibe::remote
