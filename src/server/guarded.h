// Guarded work of a server: an exception, such as for lack of memory, ends what is being done and
// not the server. Safe from any thread.
#pragma once

#include <exception>
#include <string_view>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "server/access_log.h"

namespace vibe::server {

// False where the work threw; the log says what. `request`: its id, empty where it is not known.
template <class Work>
bool guarded(AccessLog& log, std::string_view request, const Work& work) {
  try {
    work();
    return true;
  } catch (const std::exception& thrown) {
    try {
      base::Diagnostics found;
      found.add(base::Code::refused_by_server, {}, fmt::format("an exception: {}", thrown.what()));
      log.write_problem(request, found);
    } catch (const std::exception&) {  // not even memory for that
      return false;
    }
    return false;
  }
}

}  // namespace vibe::server
