// Price: what a model's tokens cost. Uses the project's table (data/prices.csv, with its date); the
// user's rows override it. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::price {

// The price if the prompt has more than `over` tokens; it applies to all of them.
struct Tier {
  std::int64_t over = 0;
  double input = 0, output = 0;
  std::optional<double> cache_read, cache_write;
};

// US dollars per million tokens.
struct Price {
  double input = 0, output = 0;
  std::optional<double> cache_read, cache_write;  // none: same as input
  std::vector<Tier> tiers{};                      // ascending by `over`; mostly empty
};

struct ModelRow {
  std::string id;    // `openai/gpt-4o-mini`; in the user's rows also with `*` for any text
  std::string name;  // display name; empty: unknown
  Price price;
  std::int64_t context = 0;  // tokens; 0: unknown
  std::string seller{};  // who charges this price: `openai`, `openrouter`; empty: the user's row
  std::string note{};    // a caveat about the price; mostly empty
};

struct TokenCounts {
  std::int64_t prompt = 0, completion = 0;
  std::int64_t cache_read = 0, cache_write = 0;  // parts of the prompt
};

struct Cost {
  double input = 0, output = 0;  // US dollars
};

Cost cost(const Price& price, const TokenCounts& tokens);

// A user's pattern for several models: `openai/*mini*`. `*` is any text, `?` one character; ASCII
// letters match in either case.
bool fits(std::string_view pattern, std::string_view id);

class PriceTable {
 public:
  PriceTable() = default;
  explicit PriceTable(std::vector<ModelRow> own);  // the user's rows

  // `openai/gpt-4o-mini-2024-07-18` finds its row by the rules in the data. An exact match is best,
  // then the match with the most literal text. `seller` is the name of a provider or of the user's
  // endpoint; then only its prices count. Without it, if several sell the model under the same
  // name: OpenAI and Anthropic for their own models, OpenRouter for all others.
  std::optional<Price> find(std::string_view model, std::string_view seller = {}) const;

  // The same for a name from an agent's log, mostly without its maker: `claude-opus-4-5-20251101`.
  // If several sell it, its maker is preferred.
  std::optional<Price> find_bare(std::string_view model) const;

  // Whether a seller has exactly this id, in either case; any seller if `seller` is empty. Ignores
  // the user's rows.
  static bool is_sold(std::string_view id, std::string_view seller = {});

  // Sorted by id, including the user's rows. An id that several sell is listed once, with the row
  // that `find(id)` finds.
  std::vector<ModelRow> models() const;

  static std::string_view date();    // the date of the data: `2026-10-01`
  static std::string_view origin();  // the package and version it was made from

 private:
  std::vector<ModelRow> own_;
};

}  // namespace vibe::price
