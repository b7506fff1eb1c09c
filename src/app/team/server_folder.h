// The folder of a server, `HOME`, opened for a command. The server may be at work in it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "store/directory.h"

namespace vibe::app {

struct ServerFolder {
  std::string home;
  std::unique_ptr<store::Directory> directory;
};

enum class FolderUse : std::uint8_t {
  make,    // makes what is missing
  change,  // Code::not_found if no server was set up there
  read,    // as `change`; the disk may be full or read-only
};

// Nothing, and errors, if it cannot be opened.
std::optional<ServerFolder> open_server_folder(FolderUse use, base::Diagnostics& out);

}  // namespace vibe::app
