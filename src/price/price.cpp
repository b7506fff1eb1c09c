#include "price/price.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "price/rules.h"

// data/prices.csv, embedded by the build.
extern "C" {
extern const char vibe_prices_csv[];
extern const char vibe_prices_csv_end[];
}

namespace vibe::price {
namespace {

constexpr std::string_view kRouter = "openrouter";
// These providers are asked directly for their own models, if the user has their key.
constexpr std::array<std::string_view, 2> kDirect{"anthropic", "openai"};

struct DataRow {
  ModelRow model;
  std::string_view rules;  // for the seller's own name; empty: only that name
};

std::string_view data() { return {vibe_prices_csv, vibe_prices_csv_end}; }

std::string_view take_line(std::string_view& rest) {
  const auto end = std::min(rest.find('\n'), rest.size());
  const auto line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

// A cell, and the comma after it. A quoted cell is returned without its quotes; a quote inside
// stays doubled: no name contains one.
std::string_view take_cell(std::string_view& line) {
  const bool quoted = line.starts_with('"');
  if (quoted) line.remove_prefix(1);
  const auto end = std::min(quoted ? line.find('"') : line.find(','), line.size());
  const auto cell = line.substr(0, end);
  line.remove_prefix(std::min(end + (quoted ? 2 : 1), line.size()));
  return cell;
}

std::optional<double> rate(std::string_view cell) {
  return cell.empty() ? std::nullopt : base::parse_double(cell);
}

// The CSV belongs to the project and is tested: malformed data is a bug.
double must(std::optional<double> value) {
  if (!value) std::abort();
  return *value;
}

std::vector<DataRow> read_data() {
  std::vector<DataRow> rows;
  rows.reserve(1536);
  auto rest = data();
  while (rest.starts_with('#')) take_line(rest);
  take_line(rest);  // the header
  while (!rest.empty()) {
    auto line = take_line(rest);
    std::array<std::string_view, 11> cells;
    for (auto& cell : cells) cell = take_cell(line);
    const auto& [seller, id, name, rules, context, over, input, output, read, write, note] = cells;
    if (!over.empty()) {
      rows.back().model.price.tiers.push_back({static_cast<std::int64_t>(must(rate(over))),
                                               must(rate(input)), must(rate(output)), rate(read),
                                               rate(write)});
      continue;
    }
    rows.push_back({{std::string(id),
                     std::string(name),
                     {must(rate(input)), must(rate(output)), rate(read), rate(write), {}},
                     base::parse_integer(context).value_or(0),
                     std::string(seller),
                     std::string(note)},
                    rules});
  }
  return rows;
}

const std::vector<DataRow>& rows() {
  static const auto read = read_data();
  return read;
}

// The seller's name for a model; none: it does not sell the model.
std::optional<std::string_view> name_at(std::string_view seller, std::string_view model) {
  if (model.size() > seller.size() && model.starts_with(seller) && model[seller.size()] == '/')
    return model.substr(seller.size() + 1);
  if (seller == kRouter) return model;
  return std::nullopt;
}

struct Found {
  const DataRow* row = nullptr;
  std::size_t fit = 0;
};

Found find_sold(std::string_view seller, std::string_view model) {
  Found best;
  const auto name = name_at(seller, model);
  if (!name) return best;
  for (const auto& row : rows()) {
    if (row.model.seller != seller) continue;
    const auto own = name_at(seller, row.model.id);
    const auto now = std::max(own ? fit(*own, *name) : 0, fit(row.rules, *name));
    if (now > best.fit) best = {&row, now};
  }
  return best;
}

std::string_view maker_of(std::string_view model) {
  const auto slash = model.find('/');
  return slash == std::string_view::npos ? std::string_view{} : model.substr(0, slash);
}

bool is_direct(std::string_view maker) {
  return std::ranges::find(kDirect, maker) != kDirect.end();
}

// If several sell an id and the seller is not given, the lowest rank counts.
int rank(const ModelRow& row) {
  if (row.seller == kRouter) return 1;
  return is_direct(row.seller) ? 0 : 2;
}

// An exact match at any seller is better than a rule of the preferred one.
Found find_anywhere(std::string_view model) {
  const auto maker = maker_of(model);
  if (maker.empty()) return {};
  const auto own = find_sold(maker, model), routed = find_sold(kRouter, model);
  const bool own_counts = own.fit == routed.fit ? is_direct(maker) : own.fit > routed.fit;
  return own_counts ? own : routed;
}

// A user's name is taken literally (`exec:` models contain spaces), except for `*`.
std::size_t own_fit(const ModelRow& row, std::string_view model) {
  if (row.id == model) return row.id.size() + 2;
  const auto stars = std::ranges::count(row.id, '*');
  return fits_rule(row.id, model) ? row.id.size() + 1 - static_cast<std::size_t>(stars) : 0;
}

const ModelRow* find_own(const std::vector<ModelRow>& own, std::string_view model) {
  const ModelRow* best = nullptr;
  std::size_t best_fit = 0;
  for (const auto& row : own)
    if (const auto now = own_fit(row, model); now > best_fit)
      std::tie(best, best_fit) = std::pair{&row, now};
  return best;
}

// The text between two texts in the first line of the data.
std::string_view stated(std::string_view before, std::string_view after) {
  auto rest = data();
  auto line = take_line(rest);
  const auto begin = line.find(before);
  if (begin == std::string_view::npos) std::abort();
  line.remove_prefix(begin + before.size());
  return line.substr(0, after.empty() ? line.size() : line.find(after));
}

}  // namespace

bool fits(std::string_view pattern, std::string_view id) {
  return base::glob_match(base::lower_ascii(pattern), base::lower_ascii(id));
}

Cost cost(const Price& price, const TokenCounts& tokens) {
  constexpr double kMillion = 1e6;
  Tier now{0, price.input, price.output, price.cache_read, price.cache_write};
  for (const auto& tier : price.tiers)
    if (tokens.prompt > tier.over) now = tier;
  // The cached tokens are parts of the prompt, so this should not be negative.
  const auto plain =
      std::max<std::int64_t>(0, tokens.prompt - tokens.cache_read - tokens.cache_write);
  return {(static_cast<double>(plain) * now.input +
           static_cast<double>(tokens.cache_read) * now.cache_read.value_or(now.input) +
           static_cast<double>(tokens.cache_write) * now.cache_write.value_or(now.input)) /
              kMillion,
          static_cast<double>(tokens.completion) * now.output / kMillion};
}

PriceTable::PriceTable(std::vector<ModelRow> own) : own_(std::move(own)) {}

std::optional<Price> PriceTable::find(std::string_view model, std::string_view seller) const {
  if (const auto* row = find_own(own_, model)) return row->price;
  const auto* row = (seller.empty() ? find_anywhere(model) : find_sold(seller, model)).row;
  return row ? std::optional(row->model.price) : std::nullopt;
}

std::optional<Price> PriceTable::find_bare(std::string_view model) const {
  constexpr std::array<std::string_view, 12> kMakers{
      "anthropic", "openai",     "google", "x-ai",    "mistral", "deepseek",
      "zai",       "moonshotai", "cohere", "minimax", "zhipuai", "aws"};
  if (model.empty()) return std::nullopt;
  if (const auto price = find(model)) return price;
  if (model.starts_with("models/")) model.remove_prefix(7);  // Google's prefix
  for (const std::string_view maker : kMakers)
    if (const auto price = find(fmt::format("{}/{}", maker, model), maker)) return price;
  return std::nullopt;
}

bool PriceTable::is_sold(std::string_view id, std::string_view seller) {
  static const auto kSold = [] {
    std::set<std::string> out;
    for (const auto& row : rows())
      for (const auto by : {std::string_view(row.model.seller), std::string_view()})
        out.insert(fmt::format("{} {}", by, base::lower_ascii(row.model.id)));
    return out;
  }();
  return kSold.contains(fmt::format("{} {}", seller, base::lower_ascii(id)));
}

std::vector<ModelRow> PriceTable::models() const {
  std::vector<ModelRow> all;
  all.reserve(rows().size() + own_.size());
  for (const auto& row : rows()) all.push_back(row.model);
  const auto order = [](const ModelRow& row) {
    return std::tuple(base::lower_ascii(row.id), rank(row), row.id);
  };
  std::ranges::sort(all, {}, order);
  const auto same =
      std::ranges::unique(all, {}, [](const ModelRow& row) { return base::lower_ascii(row.id); });
  all.erase(same.begin(), same.end());
  for (auto& model : all) {
    const auto* row = find_own(own_, model.id);
    if (row == nullptr) continue;
    model.price = row->price;
    model.seller.clear();
    model.note.clear();
  }
  for (const auto& row : own_) {
    const auto is_same = [&](const ModelRow& other) { return own_fit(row, other.id) > 0; };
    if (row.id.find('*') == std::string::npos && std::ranges::none_of(all, is_same))
      all.push_back(row);
  }
  std::ranges::sort(all, {}, &ModelRow::id);
  return all;
}

std::string_view PriceTable::date() { return stated("data of ", ""); }

std::string_view PriceTable::origin() { return stated(" from ", ","); }

}  // namespace vibe::price
