// The server's folder, `HOME`, opened for a command. The server may be running.
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
  make,    // creates what is missing
  change,  // Code::not_found if there is no server
  read,    // like `change`; the disk may be full or read-only
};

// Nothing, and errors, if it cannot be opened.
std::optional<ServerFolder> open_server_folder(FolderUse use, base::Diagnostics& out);

}  // namespace vibe::app
