// Listing: what the list commands share: options, and the lines below their tables.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/runs/history.h"
#include "cli/command.h"
#include "report/run.h"
#include "store/archive.h"

namespace vibe::cli {

// These functions report every invalid option, and what is allowed.

// `--limit`, `--offset` and `--after` of any query.
template <class ItemQuery>
void read_page(const Arguments& arguments, ItemQuery& query, base::Diagnostics& out) {
  constexpr std::int64_t kMost = 1000, kMostOffset = 1'000'000'000;
  const auto limit = integer(arguments, "--limit", out, 1, kMost);
  const auto offset = integer(arguments, "--offset", out, 0, kMostOffset);
  if (limit) query.limit = static_cast<std::size_t>(*limit);
  if (offset) query.offset = static_cast<std::size_t>(*offset);
  query.after = arguments.get("--after").value_or("");
}

// Two options that bound a figure of the listed items; `what` names an item: `run`.
store::Bounds read_bounds(const Arguments& arguments, std::string_view what, std::string_view least,
                          std::string_view most, base::Diagnostics& out, double lowest,
                          double highest);

// A date; one given as the end includes the whole day.
std::optional<store::Millis> read_time(const Arguments& arguments, std::string_view option,
                                       bool is_end, base::Diagnostics& out);

// One form of output at a time: `--json`, `--jsonl` or `--csv`.
bool one_form(const Arguments& arguments, Terminal& terminal);

// Whether an option filters the list.
bool has_filter(const Arguments& arguments);

report::TextStyle style_of(const Terminal& terminal);  // for tables on standard output

// Prints a list that has no pages: with `--json` as JSON, else as a table, or `none` if it is
// empty.
template <class List, class Json, class Table>
Exit show_list(const Arguments& arguments, const List& list, std::string_view none,
               const Json& to_json, const Table& to_table, Terminal& terminal) {
  if (arguments.has("--json"))
    terminal.out += to_json(list);
  else
    terminal.out += list.empty() ? std::string(none) : to_table(list);
  return Exit::passed;
}

// The last scores of each suite or agent; empty if there are none.
std::string trend_lines(std::span<const app::Trend> trends);

}  // namespace vibe::cli
