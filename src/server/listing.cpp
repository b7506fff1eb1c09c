#include "server/listing.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "base/time.h"
#include "fitness/record.h"
#include "store/run_filters.h"

namespace vibe::server {

namespace {

using store::Millis;

constexpr std::int64_t kMostListed = 1000, kMostOffset = 1'000'000'000;
constexpr Millis kDay = 86'400'000;

// Reads parameters one after the other; keeps the first problem.
class Reader {
 public:
  explicit Reader(const Target& target) : target_(target) {}

  const std::optional<std::string>& problem() const { return problem_; }

  void refuse(std::string_view name, std::string_view value, std::string_view expected) {
    if (!problem_)
      problem_ = fmt::format("Invalid filter `{}`: `{}` is not {}", base::printable(name),
                             base::printable(base::shorten(value, 100)), expected);
  }

  std::optional<std::string> text(std::string_view name) { return target_.get(name); }

  std::optional<std::int64_t> integer(std::string_view name, std::int64_t least,
                                      std::int64_t most) {
    const auto value = target_.get(name);
    if (!value) return std::nullopt;
    const auto number = base::parse_integer(*value);
    if (number && *number >= least && *number <= most) return number;
    refuse(name, *value, fmt::format("a whole number from {} to {}", least, most));
    return std::nullopt;
  }

  void number(std::string_view name, std::optional<double>& out) {
    const auto value = target_.get(name);
    if (!value) return;
    const auto number = base::parse_double(*value);
    if (number && std::isfinite(*number))
      out = number;
    else
      refuse(name, *value, "a number");
  }

  // A date as the end includes the whole day.
  void time(std::string_view name, bool is_end, std::optional<Millis>& out) {
    const auto value = target_.get(name);
    if (!value) return;
    const auto millis = base::parse_time(*value);
    if (!millis) return refuse(name, *value, "a time like `2026-11-16T08:30:00Z`");
    constexpr std::size_t kDayOnly = std::string_view("2026-11-16").size();
    out = is_end && value->size() == kDayOnly ? *millis + kDay - 1 : *millis;
  }

  template <class Query>
  void page(Query& query) {
    if (const auto limit = integer("limit", 1, kMostListed))
      query.limit = static_cast<std::size_t>(*limit);
    if (const auto offset = integer("offset", 0, kMostOffset))
      query.offset = static_cast<std::size_t>(*offset);
    query.after = text("after").value_or("");
  }

  std::vector<score::RunStatus> statuses(std::string_view name) {
    std::vector<score::RunStatus> out;
    const auto value = target_.get(name);
    if (!value) return out;
    std::string_view rest = *value;
    while (true) {
      const std::size_t comma = rest.find(',');
      const std::string_view word = base::trim(rest.substr(0, comma));
      if (const auto status = score::run_status(word))
        out.push_back(*status);
      else
        refuse(name, word, "a run status");
      if (comma == rest.npos) return out;
      rest.remove_prefix(comma + 1);
    }
  }

 private:
  const Target& target_;
  std::optional<std::string> problem_;
};

void read_order(Reader& reader, store::RunQuery& query) {
  const auto value = reader.text("sort");
  if (!value) return;
  std::string_view name = *value;
  query.ascending = !name.starts_with('-');
  if (!query.ascending) name.remove_prefix(1);
  std::vector<std::string_view> names;
  for (const auto& row : store::kRunOrders) {
    if (row.key == name) {
      query.order = row.order;
      return;
    }
    names.push_back(row.key);
  }
  reader.refuse("sort", *value, fmt::format("one of `{}`", fmt::join(names, "`, `")));
}

}  // namespace

tl::expected<store::RunQuery, std::string> read_run_query(const Target& target) {
  Reader reader(target);
  store::RunQuery query;
  reader.page(query);
  for (const auto& row : store::kStatusFilters) query.*row.statuses = reader.statuses(row.key.name);
  for (const auto& row : store::kTextFilters)
    query.*row.text = reader.text(row.key.name).value_or("");
  for (const auto& row : store::kRangeFilters) {
    reader.number(row.least_key.name, (query.*row.bounds).least);
    reader.number(row.most_key.name, (query.*row.bounds).most);
  }
  for (const auto& row : store::kTimeFilters) {
    reader.time(row.from_key.name, false, (query.*row.range).from);
    reader.time(row.to_key.name, true, (query.*row.range).to);
  }
  read_order(reader, query);
  if (reader.problem()) return tl::unexpected(*reader.problem());
  return query;
}

tl::expected<store::ExecutionQuery, std::string> read_execution_query(const Target& target) {
  Reader reader(target);
  store::ExecutionQuery query;
  reader.page(query);
  if (const auto agent = reader.text("agent")) {
    auto [name, version] = fitness::agent_query(*agent);
    query.agent = std::move(name);
    query.version = std::move(version);
  }
  if (auto version = reader.text("version")) query.version = *std::move(version);
  query.session = reader.text("session").value_or("");
  query.grade = reader.text("grade").value_or("");
  query.rubric = reader.text("rubric").value_or("");
  reader.number("score__gte", query.score.least);
  reader.number("score__lte", query.score.most);
  reader.time("time__gte", false, query.from);
  reader.time("time__lte", true, query.to);
  if (reader.problem()) return tl::unexpected(*reader.problem());
  return query;
}

tl::expected<store::DecisionQuery, std::string> read_decision_query(const Target& target) {
  Reader reader(target);
  store::DecisionQuery query;
  reader.page(query);
  query.agent = reader.text("agent").value_or("");
  if (reader.problem()) return tl::unexpected(*reader.problem());
  return query;
}

bool takes_long(const Target& target) {
  constexpr std::int64_t kFewPassedOver = 1000;
  const auto offset = base::parse_integer(target.get("offset").value_or(""));
  if (offset && *offset > kFewPassedOver) return true;
  return std::any_of(target.query.begin(), target.query.end(), [](const auto& given) {
    const std::string_view name = given.first;
    for (const auto& row : store::kStatusFilters)
      if (row.key.name == name) return false;
    for (const auto& row : store::kTextFilters)
      if (row.key.name == name) return !row.is_indexed;
    return name.find("__") != name.npos;  // a range
  });
}

Response list_error(const Call& call, const base::Diagnostics& problem) {
  const auto& first = problem.all().front();
  if (problem.has(base::Code::bad_usage))
    return error(400, fmt::format("Invalid filter `after`: {}; {}", first.message, first.hint));
  return error(call, problem);
}

}  // namespace vibe::server
