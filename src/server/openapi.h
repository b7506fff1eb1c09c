// OpenAPI: the machine-readable description of the API, made from the route table. Pure.
#pragma once

#include <string>
#include <string_view>

namespace vibe::server {

std::string openapi_json(std::string_view version);  // `version`: of the program; OpenAPI 3.1

}  // namespace vibe::server
