// The filters of a run query, as a server takes them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/archive.h"

namespace vibe::remote {

using Parameters = std::vector<std::pair<std::string_view, std::string>>;

// An empty text adds no condition.
void add_text(Parameters& out, std::string_view name, const std::string& text);
void add_bounds(Parameters& out, std::string_view least, std::string_view most,
                const store::Bounds& bounds);
void add_time(Parameters& out, std::string_view name, const std::optional<store::Millis>& time);

// Without page and order.
void add_filters(Parameters& out, const store::RunQuery& query);

}  // namespace vibe::remote
