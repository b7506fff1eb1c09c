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

enum class Missing : std::uint8_t { is_made, is_an_error };

// Code::not_found: no server was set up there. Nothing, and errors, if it cannot be opened.
std::optional<ServerFolder> open_server_folder(Missing missing, base::Diagnostics& out);

}  // namespace vibe::app
