// Archive of a server: what a server keeps for the organisation of the key, by its HTTP API.
// Belongs to one thread.
#pragma once

#include <memory>

#include "remote/server.h"
#include "store/archive.h"

namespace vibe::remote {

// The server has to outlive it.
std::unique_ptr<store::Archive> make_archive(Server& server);

}  // namespace vibe::remote
