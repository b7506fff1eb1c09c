#include "cli/listing.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"

namespace vibe::cli {

using base::Code;

store::Bounds read_bounds(const Arguments& arguments, std::string_view what, std::string_view least,
                          std::string_view most, base::Diagnostics& out, double lowest,
                          double highest) {
  const store::Bounds bounds{number(arguments, least, out, lowest, highest),
                             number(arguments, most, out, lowest, highest)};
  if (bounds.least && bounds.most && *bounds.least > *bounds.most)
    out.add(Code::bad_usage, {},
            fmt::format("no {} can be at least {} and at most {}: `{}` is above `{}`", what,
                        *bounds.least, *bounds.most, least, most));
  return bounds;
}

std::optional<store::Millis> read_time(const Arguments& arguments, std::string_view option,
                                       bool is_end, base::Diagnostics& out) {
  const auto text = arguments.get(option);
  if (!text) return std::nullopt;
  const auto time = base::parse_time(*text);
  if (!time) {
    out.add(Code::bad_usage, {},
            fmt::format("`{}` takes a date, not `{}`", option, base::printable(*text)),
            "write `2026-11-16` or `2026-11-16T13:30`; without an offset it is UTC");
    return std::nullopt;
  }
  // A day given as the end includes all its hours.
  constexpr store::Millis kDay = 86'400'000;
  const bool is_day = text->find('T') == std::string::npos && text->find(' ') == std::string::npos;
  return is_end && is_day ? *time + kDay - 1 : *time;
}

bool one_form(const Arguments& arguments, Terminal& terminal) {
  std::string_view first;
  for (const std::string_view form : {"--json", "--jsonl", "--csv"}) {
    if (!arguments.has(form)) continue;
    if (!first.empty()) {
      base::Diagnostics found;
      found.add(Code::bad_usage, {}, fmt::format("`{}` and `{}` cannot be combined", first, form));
      terminal.show(found);
      return false;
    }
    first = form;
  }
  return true;
}

bool has_filter(const Arguments& arguments) {
  constexpr std::array<std::string_view, 9> kNone{"--json",     "--jsonl",     "--csv",
                                                  "--markdown", "--html",      "--limit",
                                                  "--sort-by",  "--ascending", "--server"};
  return std::any_of(arguments.options.begin(), arguments.options.end(), [&](const auto& option) {
    return std::find(kNone.begin(), kNone.end(), option.first) == kNone.end();
  });
}

report::TextStyle style_of(const Terminal& terminal) {
  return {terminal.out_color, terminal.out_width};
}

std::string trend_lines(std::span<const app::Trend> trends) {
  std::size_t width = 0;
  for (const auto& trend : trends)
    width = std::max(width, base::display_width(base::printable(trend.name)));
  std::string out;
  for (const auto& trend : trends) out += report::trend_line(trend.name, trend.scores, width);
  return out.empty() ? out : fmt::format("\nLast scores, oldest first:\n{}", out);
}

}  // namespace vibe::cli
