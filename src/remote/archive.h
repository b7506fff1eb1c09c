// The archive of the key's organisation on a server, over its HTTP API. Belongs to one thread.
#pragma once

#include <memory>

#include "remote/server.h"
#include "store/archive.h"

namespace vibe::remote {

// The server must outlive it.
std::unique_ptr<store::Archive> make_archive(Server& server);

}  // namespace vibe::remote
