// The filters and orders of the list of runs, one row each: what it compares, its names in the API
// and on the command line, and what both say about it. Whatever reads, sends or answers a query of
// runs loops over the rows, so that a new filter is a member of RunQuery and a row.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <string_view>

#include "base/shape.h"
#include "store/archive.h"

namespace vibe::store {

// A parameter of `GET /api/runs`.
struct FilterKey {
  std::string_view name, doc;
};
// An option of `vibe get runs`; without a name: there is none.
struct FilterOption {
  std::string_view name = {};
  char letter = 0;
  std::string_view value = {}, help = {};
};

struct TextFilter {
  std::string RunQuery::* text;  // empty: any
  std::string_view condition;    // before the text, in SQL
  FilterKey key;
  FilterOption option;
};
inline constexpr std::array kTextFilters{
    TextFilter{&RunQuery::suite,
               "suite =",
               {"suite_name", "exactly"},
               {"--suite", 'e', "NAME", "only runs of this suite"}},
    TextFilter{&RunQuery::model,
               "model =",
               {"model", "exactly"},
               {"--model", 'm', "NAME", "only runs of this model"}},
    TextFilter{&RunQuery::model_like,
               "model LIKE",
               {"model__like", "`%` stands for any text, `_` for one character"},
               {"--model-like", 0, "LIKE",
                "only runs of models like this: `%` any text, `_` one character"}},
};

inline constexpr double kNoBound = std::numeric_limits<double>::infinity();

struct RangeFilter {
  Bounds RunQuery::* bounds;
  std::string_view column;
  FilterKey least_key, most_key;
  FilterOption least, most;
  double lowest, highest;  // that the command line accepts
};
inline constexpr std::array kRangeFilters{
    RangeFilter{&RunQuery::score,
                "score",
                {"score__gte", "at least"},
                {"score__lte", "at most"},
                {"--min-score", 0, "N", "only runs with at least this score"},
                {"--max-score", 0, "N", "only runs with at most this score"},
                -kNoBound,
                kNoBound},
    RangeFilter{&RunQuery::success,
                "success",
                {"success_percentage__gte", "at least, 0 to 100"},
                {"success_percentage__lte", "at most"},
                {"--min-success", 0, "PERCENT", "only runs that passed at least this much"},
                {"--max-success", 0, "PERCENT", "only runs that passed at most this much"},
                0,
                100},
    RangeFilter{&RunQuery::cost,
                "total_cost",
                {"total_cost__gte", "at least this many US dollars"},
                {"total_cost__lte", "at most"},
                {"--min-cost", 0, "DOLLARS", "only runs that cost at least this"},
                {"--max-cost", 0, "DOLLARS", "only runs that cost at most this"},
                0,
                kNoBound},
    RangeFilter{&RunQuery::duration,
                "duration",
                {"duration_seconds__gte", "at least"},
                {"duration_seconds__lte", "at most"},
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
        {"created_at__gte", "not before: a time like `2026-11-16T08:30:00Z`, or a day"},
        {"created_at__lte", "not after; a day counts in full"},
        {"--date-from", 0, "DATE", "only runs since: `2026-11-16`, `2026-11-16T13:30` (UTC)"},
        {"--date-to", 0, "DATE", "only runs until then; a day counts in full"}},
    TimeFilter{&RunQuery::completed,
               "completed_at",
               {"completed_at__gte", "not before"},
               {"completed_at__lte", "not after"},
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

// Every member of RunQuery has a row, but page, statuses and order; every order has one.
static_assert(base::kMembers<RunQuery> ==
              7 + kTextFilters.size() + kRangeFilters.size() + kTimeFilters.size());
static_assert(kRunOrders.size() == static_cast<std::size_t>(RunOrder::price_performance) + 1);

// Calls `visit` with each parameter of the API: its key, and its type in JSON Schema.
template <class Visit>
constexpr void for_each_filter_key(Visit&& visit) {
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

// Calls `visit` with each option of the command line.
template <class Visit>
constexpr void for_each_filter_option(Visit&& visit) {
  const auto give = [&](const FilterOption& option) {
    if (!option.name.empty()) visit(option);
  };
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
