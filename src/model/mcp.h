// The tools part of the Model Context Protocol, as pure functions on the server's replies.
// Private to model/. Safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "base/json_value.h"
#include "model/tool_server.h"

namespace vibe::model::mcp {

// The version that vibe offers; a server may answer with another one.
inline constexpr std::string_view kVersion = "2025-06-18";

std::string greeting();  // the parameters of `initialize`
// The version that the server chose, or a message that says what is wrong with its answer.
tl::expected<std::string, std::string> read_greeting(const base::JsonValue& result);

struct Page {
  std::vector<Tool> tools;
  std::string next;  // the cursor of the next page; empty: this is the last
};
// The result of `tools/list`, or a message that names the tool and what is wrong with it.
tl::expected<Page, std::string> read_tools(const base::JsonValue& result);

// The result of `tools/call`, or a message that says what is wrong with it. Content other than text
// is described.
tl::expected<ToolResult, std::string> read_result(const base::JsonValue& result);

// The parameters of `tools/call`, or why the model's arguments cannot be sent.
tl::expected<std::string, std::string> call_params(std::string_view name,
                                                   std::string_view arguments);

}  // namespace vibe::model::mcp
