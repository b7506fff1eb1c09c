// Price: what the tokens of a model cost. A table of the project (data/prices.csv, with its
// date), and rows of the user's that come before it. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vibe::price {

// What holds for a prompt of more than `over` tokens, all of it.
struct Tier {
  std::int64_t over = 0;
  double input = 0, output = 0;
  std::optional<double> cache_read, cache_write;
};

// US dollars for a million tokens.
struct Price {
  double input = 0, output = 0;
  std::optional<double> cache_read, cache_write;  // none: as input
  std::vector<Tier> tiers{};                      // by rising `over`; mostly empty
};

struct ModelRow {
  std::string id;    // `openai/gpt-4o-mini`; of the user's rows also with `*` for any text
  std::string name;  // as people say it; empty: not known
  Price price;
  std::int64_t context = 0;  // tokens; 0: not known
  std::string seller{};      // who asks this price: `openai`, `openrouter`; empty: the user's row
  std::string note{};        // where the price is not the whole truth; mostly empty
};

struct TokenCounts {
  std::int64_t prompt = 0, completion = 0;
  std::int64_t cache_read = 0, cache_write = 0;  // parts of the prompt
};

struct Cost {
  double input = 0, output = 0;  // US dollars
};

Cost cost(const Price& price, const TokenCounts& tokens);

// What a user writes for several models: `openai/*mini*`. `*` is any text, `?` one character;
// upper and lower case of ASCII letters are the same.
bool fits(std::string_view pattern, std::string_view id);

class PriceTable {
 public:
  PriceTable() = default;
  explicit PriceTable(std::vector<ModelRow> own);  // the user's rows

  // `openai/gpt-4o-mini-2024-07-18` finds its row by the rules that come with the data; of
  // several the exact one, then the one with the most text. `seller` says who is asked: the
  // name of a provider, or of an endpoint of the user's; then no other's price counts. Without
  // it, where several sell it under equal names: OpenAI and Anthropic their own models,
  // OpenRouter all others.
  std::optional<Price> find(std::string_view model, std::string_view seller = {}) const;

  // The same of a name as agents write it into their logs, mostly without its maker:
  // `claude-opus-4-5-20251101`. Where several sell it, its maker counts first.
  std::optional<Price> find_bare(std::string_view model) const;

  // Under exactly this id, whether upper or lower case; by anyone, where `seller` is empty. The
  // user's rows do not count.
  static bool is_sold(std::string_view id, std::string_view seller = {});

  // By id, the user's included. An id that several sell is there once, as `find(id)` finds it.
  std::vector<ModelRow> models() const;

  static std::string_view date();    // of the data: `2026-10-01`
  static std::string_view origin();  // the package and the version it was made from

 private:
  std::vector<ModelRow> own_;
};

}  // namespace vibe::price
