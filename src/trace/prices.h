// Prices: model prices by the names used in logs, each looked up once. Safe to use from any thread.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "price/price.h"

namespace vibe::trace {

class Prices {
 public:
  explicit Prices(const price::PriceTable& table) : table_(table) {}

  const price::Price* find(std::string_view model) const {  // null: not known
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = found_.try_emplace(std::string(model));
    if (is_new) at->second = table_.find_bare(model);
    return at->second ? &*at->second : nullptr;
  }

 private:
  const price::PriceTable& table_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::optional<price::Price>> found_;
};

}  // namespace vibe::trace
