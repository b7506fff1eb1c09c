// The filters and orders for the list of runs, one row each: what it compares, its names in the API
// and on the command line, and its documentation for both. All code that reads, sends or answers a
// run query loops over the rows, so a new filter is a member of RunQuery and a row.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/shape.h"
#include "store/archive.h"

namespace vibe::store {

// A parameter of `GET /api/runs`.
struct FilterKey {
  std::string_view name, doc;
};
// An option of `vibe get runs`; empty name: none.
struct FilterOption {
  std::string_view name = {};
  char letter = 0;
  std::string_view value = {}, help = {};
};

struct StatusFilter {
  std::vector<score::RunStatus> RunQuery::* statuses;  // empty: no condition
  FilterKey key;
  FilterOption option;
};
inline constexpr std::array kStatusFilters{
    StatusFilter{&RunQuery::status,
                 {"status", "one or more statuses, separated by commas: `completed,failed`"},
                 {"--status", 's', "A,B",
                  "only runs with one of these: `completed`, `failed`, `running`, …"}},
    StatusFilter{&RunQuery::status_ne,
                 {"status__ne", "statuses to exclude, separated by commas"},
                 {"--status-ne", 0, "A,B", "only runs with none of these"}},
};

enum class Match : std::uint8_t { equal, like, listed };  // `listed`: in a JSON list of texts

struct TextFilter {
  std::string RunQuery::* text;  // empty: any
  std::string_view column;
  Match match;
  bool is_indexed;  // the store finds matching runs without reading many others
  FilterKey key;
  FilterOption option;
};
inline constexpr std::array kTextFilters{
    TextFilter{&RunQuery::suite,
               "suite",
               Match::equal,
               true,
               {"suite_name", "exact name of the suite"},
               {"--suite", 'e', "NAME", "only runs of this suite"}},
    TextFilter{&RunQuery::model,
               "model",
               Match::equal,
               true,
               {"model", "exact name of the model"},
               {"--model", 'm', "NAME", "only runs of this model"}},
    TextFilter{
        &RunQuery::model_like,
        "model",
        Match::like,
        false,
        {"model__like", "pattern for the model name: `%` matches any text, `_` one character"},
        {"--model-like", 0, "LIKE",
         "only runs of models like this: `%` any text, `_` one character"}},
    TextFilter{&RunQuery::tag,
               "tags",
               Match::listed,
               false,
               {"tag", "a tag of the suite's evals"},
               {"--tag", 0, "TAG", "only runs of suites that have an eval with this tag"}},
};

inline constexpr double kNoBound = std::numeric_limits<double>::infinity();

struct RangeFilter {
  Bounds RunQuery::* bounds;
  std::string_view column;
  FilterKey least_key, most_key;
  FilterOption least, most;
  double lowest, highest;  // range that the command line accepts
};
inline constexpr std::array kRangeFilters{
    RangeFilter{&RunQuery::score,
                "score",
                {"score__gte", "minimum"},
                {"score__lte", "maximum"},
                {"--min-score", 0, "N", "only runs with at least this score"},
                {"--max-score", 0, "N", "only runs with at most this score"},
                -kNoBound,
                kNoBound},
    RangeFilter{&RunQuery::success,
                "success",
                {"success_percentage__gte", "minimum, 0 to 100"},
                {"success_percentage__lte", "maximum, 0 to 100"},
                {"--min-success", 0, "PERCENT", "only runs that passed at least this percentage"},
                {"--max-success", 0, "PERCENT", "only runs that passed at most this percentage"},
                0,
                100},
    RangeFilter{&RunQuery::cost,
                "total_cost",
                {"total_cost__gte", "minimum, in US dollars"},
                {"total_cost__lte", "maximum, in US dollars"},
                {"--min-cost", 0, "DOLLARS", "only runs that cost at least this"},
                {"--max-cost", 0, "DOLLARS", "only runs that cost at most this"},
                0,
                kNoBound},
    RangeFilter{&RunQuery::duration,
                "duration",
                {"duration_seconds__gte", "minimum"},
                {"duration_seconds__lte", "maximum"},
                {"--min-duration", 0, "SECONDS", "only runs that took at least this"},
                {"--max-duration", 0, "SECONDS", "only runs that took at most this"},
                0,
                kNoBound},
};

struct TimeFilter {
  TimeRange RunQuery::* range;
  std::string_view column;
  FilterKey from_key, to_key;
  FilterOption from, to;
};
inline constexpr std::array kTimeFilters{
    TimeFilter{
        &RunQuery::created,
        "created_at",
        {"created_at__gte", "earliest time, such as `2026-11-16T08:30:00Z`, or a day"},
        {"created_at__lte", "latest time; a date includes the whole day"},
        {"--date-from", 0, "DATE",
         "only runs since this time: `2026-11-16`, `2026-11-16T13:30` (UTC)"},
        {"--date-to", 0, "DATE", "only runs until this time; a date includes the whole day"}},
    TimeFilter{&RunQuery::completed,
               "completed_at",
               {"completed_at__gte", "earliest time, or a day"},
               {"completed_at__lte", "latest time; a date includes the whole day"},
               {},
               {}},
};

struct OrderRow {
  RunOrder order;
  std::string_view key;     // in the API
  std::string_view option;  // of `--sort-by`
};
inline constexpr std::array kRunOrders{
    OrderRow{RunOrder::created, "created_at", "created"},
    OrderRow{RunOrder::success, "success_percentage", "success"},
    OrderRow{RunOrder::cost, "total_cost", "cost"},
    OrderRow{RunOrder::time, "duration_seconds", "time"},
    OrderRow{RunOrder::score, "score", "score"},
    OrderRow{RunOrder::price_performance, "price_performance", "price-performance"},
};

// Every member of RunQuery has a row, but page and order; every order has one.
static_assert(base::kMembers<RunQuery> == 5 + kStatusFilters.size() + kTextFilters.size() +
                                              kRangeFilters.size() + kTimeFilters.size());
static_assert(kRunOrders.size() == static_cast<std::size_t>(RunOrder::price_performance) + 1);

// Calls `visit` with each API parameter: its key, and its JSON Schema type.
template <class Visit>
constexpr void for_each_filter_key(Visit&& visit) {
  for (const auto& row : kStatusFilters) visit(row.key, "string");
  for (const auto& row : kTextFilters) visit(row.key, "string");
  for (const auto& row : kRangeFilters) {
    visit(row.least_key, "number");
    visit(row.most_key, "number");
  }
  for (const auto& row : kTimeFilters) {
    visit(row.from_key, "string");
    visit(row.to_key, "string");
  }
}

// Calls `visit` with each command-line option.
template <class Visit>
constexpr void for_each_filter_option(Visit&& visit) {
  const auto give = [&](const FilterOption& option) {
    if (!option.name.empty()) visit(option);
  };
  for (const auto& row : kStatusFilters) give(row.option);
  for (const auto& row : kTextFilters) give(row.option);
  for (const auto& row : kRangeFilters) {
    give(row.least);
    give(row.most);
  }
  for (const auto& row : kTimeFilters) {
    give(row.from);
    give(row.to);
  }
}

}  // namespace vibe::store
