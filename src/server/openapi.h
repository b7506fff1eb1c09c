// OpenAPI: the description of the API for programs, made from the table of routes. Pure.
#pragma once

#include <string>
#include <string_view>

namespace vibe::server {

std::string openapi_json(std::string_view version);  // of the program; OpenAPI 3.1

}  // namespace vibe::server
