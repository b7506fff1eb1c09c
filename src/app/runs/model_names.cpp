#include "app/runs/model_names.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "remote/models.h"
#include "score/run.h"

namespace vibe::app {

using base::Code;

namespace {

constexpr std::size_t kMostModels = 32;  // side by side

bool is_pattern(const std::string& name) {
  return name.find('*') != std::string::npos && !name.starts_with("exec:") &&
         !name.starts_with(score::kReplay);
}

}  // namespace

KnownModels models_here(const config::Config& config) {
  return [&config]() -> base::Result<std::vector<std::string>> {
    std::vector<std::string> out;
    for (const auto& row : config.models.prices.models()) out.push_back(row.id);
    return out;
  };
}

KnownModels models_of(remote::Server& server) {
  return [&server]() -> base::Result<std::vector<std::string>> {
    VIBE_TRY(const auto list, remote::list_models(server, ""));
    std::vector<std::string> out;
    for (const auto& one : list.models) out.push_back(one.row.id);
    return out;
  };
}

base::Result<std::vector<std::string>> model_names(const std::vector<std::string>& wanted,
                                                   const KnownModels& known_models) {
  std::vector<std::string> out, known;
  base::Diagnostics problems;
  const auto add = [&](const std::string& name) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  for (const auto& name : wanted) {
    if (!is_pattern(name)) {
      add(name);
      continue;
    }
    if (known.empty()) {
      auto all = known_models();
      if (!all) return all;
      known = *std::move(all);
    }
    const std::size_t before = out.size();
    for (const auto& id : known)
      if (price::fits(name, id) && out.size() <= kMostModels) add(id);
    if (out.size() == before)
      problems.add(Code::unknown_model, {},
                   fmt::format("no known model matches `{}`", base::printable(name)),
                   "`vibe get models` lists them");
  }
  if (out.size() > kMostModels)
    problems.add(Code::too_many, {}, fmt::format("more than {} models at once", kMostModels),
                 "narrow the pattern; `vibe get models PATTERN` shows what it matches");
  if (problems.failed()) return tl::unexpected(problems);
  return out;
}

}  // namespace vibe::app
