// Tools: the server of tools that the models of a run are given: which one, and opening it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/local.h"
#include "base/diagnostic.h"
#include "model/tool_server.h"
#include "run/plan.h"

namespace vibe::app {

// What a command says of it, instead of what the suite says.
struct ToolsRequest {
  std::optional<std::string> url, name, token;
};

// None where there is no such server, or with an error.
std::optional<model::ToolServerSettings> tool_server(const ToolsRequest& request,
                                                     const run::Plan& plan,
                                                     const config::Config& config,
                                                     const Permissions& permissions,
                                                     base::Diagnostics& out);

}  // namespace vibe::app
