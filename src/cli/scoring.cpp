#include "cli/scoring.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::cli {

namespace {

// Reads one of a few words; reports any other.
template <class Value, std::size_t N>
std::optional<Value> word(const Arguments& arguments, std::string_view option,
                          const std::array<std::string_view, N>& words,
                          std::optional<Value> (*find)(std::string_view), base::Diagnostics& out) {
  const auto text = arguments.get(option);
  if (!text) return std::nullopt;
  const auto found = find(*text);
  if (!found) {
    const std::string near = base::did_you_mean(base::nearest(*text, words, 1));
    out.add(base::Code::bad_usage, {},
            fmt::format("`{}` is `{}`, expected one of `{}`", option, base::printable(*text),
                        fmt::join(words, "`, `")),
            near);
  }
  return found;
}

}  // namespace

app::ScoreExecutionsRequest read_scoring(const Arguments& arguments, std::vector<std::string> logs,
                                         base::Diagnostics& out) {
  const auto threads = integer(arguments, "--threads", out, 1, 256);
  app::ScoreExecutionsRequest request;
  request.read.logs = std::move(logs);
  request.read.format = arguments.get("--format");
  request.read.threads = static_cast<std::size_t>(threads.value_or(0));
  request.rubric = arguments.get("--rubric");
  request.given.type = word(arguments, "--task", fitness::kTaskTypes, fitness::task_type, out);
  request.given.complexity =
      word(arguments, "--complexity", fitness::kComplexities, fitness::complexity, out);
  return request;
}

std::optional<std::string> read_agent(const Arguments& arguments, base::Diagnostics& out) {
  auto agent = arguments.get("--agent");
  if (agent == "")
    out.add(base::Code::bad_usage, {}, "`--agent` is empty", "write a name: `reviewer@v2`");
  return agent;
}

void read_input_once(const std::vector<std::string>& names, base::Diagnostics& out) {
  if (std::count(names.begin(), names.end(), "-") > 1)
    out.add(base::Code::bad_usage, {}, "standard input (`-`) can be read only once");
}

}  // namespace vibe::cli
