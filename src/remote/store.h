// Store of a server: what a server keeps for the organisation of the key, by its HTTP API. Lists,
// shows and changes as any store does. What only who runs suites has to do with (the queue, locks,
// answers of models, values of secrets) stays on the server: those calls are refused, with
// Code::refused_by_server, and no use case of a client makes them. Belongs to one thread.
#pragma once

#include <memory>

#include "remote/server.h"
#include "store/store.h"

namespace vibe::remote {

// The server has to outlive it.
std::unique_ptr<store::Store> make_store(Server& server);

}  // namespace vibe::remote
