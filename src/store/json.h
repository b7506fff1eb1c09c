// Json: the lists within what is kept: JSON text, empty for an empty list.
// Bytes in them that are not UTF-8 become U+FFFD. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/verdict.h"
#include "fitness/record.h"
#include "score/run.h"

namespace vibe::store {

std::string to_json(const std::vector<check::Finding>& findings);
std::string to_json(const std::vector<score::ToolCall>& calls);
std::string to_json(const std::vector<score::Turn>& turns);
std::string to_json(const std::vector<score::NamedValue>& values);
std::string to_json(const std::vector<std::string>& texts);
std::string to_json(const std::vector<double>& numbers);
std::string to_json(const fitness::SignalFigures& signals);  // an object, by their names

// None: it is not such a text.
std::optional<std::vector<check::Finding>> read_findings(std::string_view text);
std::optional<std::vector<score::ToolCall>> read_tool_calls(std::string_view text);
std::optional<std::vector<score::Turn>> read_turns(std::string_view text);
std::optional<std::vector<score::NamedValue>> read_named_values(std::string_view text);
std::optional<std::vector<std::string>> read_texts(std::string_view text);
std::optional<std::vector<double>> read_numbers(std::string_view text);
std::optional<fitness::SignalFigures> read_signals(std::string_view text);

}  // namespace vibe::store
