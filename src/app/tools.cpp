#include "app/tools.h"

namespace vibe::app {

std::optional<model::ToolServerSettings> tool_server(const ToolsRequest& request,
                                                     const run::Plan& plan,
                                                     const model::HttpOptions& client,
                                                     base::Diagnostics& out) {
  const auto& of_suite = plan.suite().metadata.mcp_server;
  if (!of_suite && !request.url) {
    if (request.name || request.token)
      out.add(base::Code::bad_usage, {}, "there is no server of tools that it could be about",
              "name one with `--mcp-url URL`, or with `mcp_server` in the suite");
    return std::nullopt;
  }
  const auto chosen = [&](const std::optional<std::string>& said,
                          std::string suite::McpServer::* field) {
    return plan.filler().fill(said ? *said : of_suite ? (*of_suite).*field : "");
  };
  model::ToolServerSettings settings;
  settings.url = chosen(request.url, &suite::McpServer::url);
  settings.name = chosen(request.name, &suite::McpServer::name);
  // A token goes to the server that it was meant for, and to no other.
  if (request.token || !request.url)
    settings.token = chosen(request.token, &suite::McpServer::authorization_token);
  settings.client = client;
  return settings;
}

}  // namespace vibe::app
