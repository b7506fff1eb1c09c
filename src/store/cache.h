// Cache: answers and embeddings that were already paid for, by the hash of the request. Belongs to
// one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace vibe::store {

struct Embedding {
  std::vector<float> vector;
  std::optional<std::int64_t> tokens;
  std::optional<double> cost;  // US dollars
};

class Cache {
 public:
  virtual ~Cache() = default;
  virtual base::Result<std::optional<std::string>> answer(std::string_view key) = 0;
  virtual base::Result<void> keep_answer(std::string_view key, std::string_view answer) = 0;
  virtual base::Result<std::optional<Embedding>> embedding(std::string_view key) = 0;
  virtual base::Result<void> keep_embedding(std::string_view key, const Embedding& embedding) = 0;
};

}  // namespace vibe::store
