#include "remote/models.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "wire/models.h"

namespace vibe::remote {

base::Result<model::ModelList> list_models(Server& server, std::string_view pattern) {
  std::vector<std::pair<std::string_view, std::string>> parameters{{"all", "true"}};
  if (!pattern.empty()) parameters.emplace_back("pattern", pattern);
  VIBE_TRY(const auto answer, server.ask({.path = "/api/models" + query(parameters)}));
  auto list = wire::read_models(answer.body);
  if (list) return *std::move(list);
  return base::fail(
      base::Code::strange_server, {},
      fmt::format("the server `{}` sent a model list that this program cannot read", server.url()));
}

}  // namespace vibe::remote
