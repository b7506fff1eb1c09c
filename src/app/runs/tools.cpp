#include "app/runs/tools.h"

#include <utility>

#include "base/url.h"
#include "suite/template.h"

namespace vibe::app {

namespace {

// `https://me:word@host`, but not `https://{{secret('login')}}@host`.
bool has_written_login(std::string_view url) {
  const base::Url parts = base::split_url(url);
  return parts.has_scheme && parts.has_login &&
         suite::scan_template(parts.login).placeholders.empty();
}

}  // namespace

std::optional<model::ToolServerSettings> tool_server(const ToolsRequest& request,
                                                     const run::Plan& plan,
                                                     const config::Config& config,
                                                     const Permissions& permissions,
                                                     base::Diagnostics& out) {
  const auto& of_suite = plan.suite().metadata.mcp_server;
  if (!of_suite && !request.url) {
    if (request.name || request.token)
      out.add(base::Code::bad_usage, {}, "`--mcp-name` and `--mcp-token` need a tool server",
              "set one with `--mcp-url URL`, or with `mcp_server` in the suite");
    return std::nullopt;
  }
  if (request.url && has_written_login(*request.url)) {
    out.add(base::Code::bad_usage, {},
            "the password in `--mcp-url` would be stored with the run, readable by everyone",
            "give it with `--mcp-token`, or write `{{secret('NAME')}}` in its place");
    return std::nullopt;
  }
  for (const auto& [name, said] : {std::pair("--mcp-url", &request.url),
                                   {"--mcp-name", &request.name},
                                   {"--mcp-token", &request.token}})
    if (*said && !run::check_filled(name, **said, plan.filler(), plan.limits(), out))
      return std::nullopt;
  const auto chosen = [&](const std::optional<std::string>& said,
                          std::string suite::McpServer::* field) {
    return plan.filler().fill(said ? *said : of_suite ? (*of_suite).*field : "");
  };
  model::ToolServerSettings settings;
  settings.url = chosen(request.url, &suite::McpServer::url);
  settings.name = chosen(request.name, &suite::McpServer::name);
  // A token goes only to the server that it is meant for.
  if (request.token || !request.url)
    settings.token = chosen(request.token, &suite::McpServer::authorization_token);
  settings.client = config.models.client;
  settings.client.public_only = !permissions.private_addresses;
  return settings;
}

}  // namespace vibe::app
