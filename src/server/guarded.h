// Guarded work: an exception, such as out of memory, ends the current task but not the server. Safe
// from any thread.
#pragma once

#include <exception>
#include <string_view>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "server/access_log.h"

namespace vibe::server {

// False if the work threw; the log says what. `request`: its id, empty if unknown.
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
    } catch (const std::exception&) {  // no memory left to log it
      return false;
    }
    return false;
  }
}

}  // namespace vibe::server
