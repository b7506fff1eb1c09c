// GET /api/compare
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "app/runs/compare_runs.h"
#include "base/text.h"
#include "server/handlers.h"
#include "wire/comparison.h"

namespace vibe::server {

using base::Code;

namespace {

constexpr std::size_t kMostCandidates = 20;
constexpr double kMostDraws = 10'000;  // a client does not decide how long the server works
constexpr double kMostSeed = 9007199254740991;  // 2^53 - 1: any whole number in JSON

std::vector<std::string> listed(const Call& call, std::string_view name) {
  const std::string text = call.query(name).value_or("");
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto item = base::trim(std::string_view(text).substr(begin, end - begin));
    if (!item.empty()) out.emplace_back(item);
    begin = end + 1;
  }
  return out;
}

// A parameter that is a number; reports it if it is out of range.
std::optional<double> number(const Call& call, std::string_view name, double least, double most,
                             bool is_whole, base::Diagnostics& out) {
  const auto text = call.query(name);
  if (!text) return std::nullopt;
  const auto value = base::parse_double(*text);
  const bool fits =
      value && *value >= least && *value <= most && (!is_whole || std::trunc(*value) == *value);
  if (!fits) {
    const std::string range = std::isinf(most) ? fmt::format("{:g} or more", least)
                                               : fmt::format("from {:g} to {:.0f}", least, most);
    out.add(Code::bad_usage, {},
            fmt::format("`{}` must be a{} number, {}", name, is_whole ? " whole" : "",
                        most <= 1 ? fmt::format("from {:g} to {:g}", least, most) : range));
  }
  return fits ? value : std::nullopt;
}

app::CompareRequest request_of(const Call& call, base::Diagnostics& out) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  app::CompareRequest request;
  request.formula = call.query("formula");
  request.guards = listed(call, "guard");
  auto& draws = request.settings.draws;
  draws.level = number(call, "level", statistics::kLeastLevel, statistics::kMostLevel, false, out)
                    .value_or(draws.level);
  const auto seed = number(call, "seed", 0, kMostSeed, true, out);
  const auto count =
      number(call, "draws", static_cast<double>(statistics::kLeastDraws), kMostDraws, true, out);
  if (seed) draws.seed = static_cast<std::uint64_t>(*seed);
  if (count) draws.draws = static_cast<std::size_t>(*count);
  const auto threshold = [&](std::string_view name) {
    return number(call, name, 0, kAny, false, out);
  };
  request.settings.thresholds = {threshold("margin"), threshold("min_effect"),
                                 threshold("superior_by"), threshold("not_worse_than")};
  return request;
}

base::Result<std::string> compared(const Call& call, app::Local& local) {
  base::Diagnostics found;
  const auto request = request_of(call, found);
  const auto base = call.query("base");
  const auto candidates = listed(call, "candidate");
  if (!base || base->empty() || candidates.empty())
    found.add(Code::bad_usage, {}, "`base` and `candidate` must name runs");
  if (candidates.size() > kMostCandidates)
    found.add(Code::bad_usage, {},
              fmt::format("`candidate` names {} runs; at most {} can be compared with one base",
                          candidates.size(), kMostCandidates));
  if (found.failed()) return tl::unexpected(std::move(found));
  VIBE_TRY(const auto of_base, app::find_stored_contender(local.runs(), *base));
  std::vector<app::Contender> all;
  for (const auto& text : candidates) {
    VIBE_TRY(auto one, app::find_stored_contender(local.runs(), text));
    all.push_back(std::move(one));
  }
  VIBE_TRY(const auto comparisons, app::compare_runs(of_base, all, request));
  return wire::comparisons_json(comparisons, request.settings.draws);
}

Response comparison_of(const Call& call, app::Local& local) {
  auto text = compared(call, local);
  return text ? json(*std::move(text)) : error(call, text.error());
}

}  // namespace

void get_comparison(Call&& call) { with_store<comparison_of>(std::move(call)); }

}  // namespace vibe::server
