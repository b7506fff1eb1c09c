// Tools: chooses and opens the tool server for the models of a run.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/local.h"
#include "base/diagnostic.h"
#include "model/tool_server.h"
#include "run/plan.h"

namespace vibe::app {

// A command's settings, which override the suite's.
struct ToolsRequest {
  std::optional<std::string> url, name, token;
};

// None if there is no tool server, or after an error.
std::optional<model::ToolServerSettings> tool_server(const ToolsRequest& request,
                                                     const run::Plan& plan,
                                                     const config::Config& config,
                                                     const Permissions& permissions,
                                                     base::Diagnostics& out);

}  // namespace vibe::app
