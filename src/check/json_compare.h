// JsonCompare: compares JSON values like JSON Schema: 1 and 1.0 are the same number, the order of
// members does not matter. Numbers are compared exactly, by their decimal text. Pure; safe from any
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json_value.h"

namespace vibe::check {

bool is_same(const base::JsonValue& a, const base::JsonValue& b);
std::size_t hash_of(const base::JsonValue& value);

// For numbers.
bool is_whole(const base::JsonValue& number);
bool is_less(const base::JsonValue& a, const base::JsonValue& b);
bool is_multiple(const base::JsonValue& number, const base::JsonValue& of);  // `of` is more than 0

// A set of values, by hash.
class JsonSet {
 public:
  explicit JsonSet(base::JsonValue::Array values);
  bool contains(const base::JsonValue& value) const;
  const base::JsonValue::Array& values() const { return values_; }

 private:
  base::JsonValue::Array values_;
  std::unordered_multimap<std::size_t, std::size_t> places_;
};

// The indices of two equal items.
std::optional<std::pair<std::size_t, std::size_t>> first_repeated(
    const base::JsonValue::Array& items);

// The members of an object by key: a linear search if there are few, else by hash. The object must
// outlive it.
class Members {
 public:
  explicit Members(const base::JsonValue::Object& members);
  const base::JsonValue* find(std::string_view key) const;

 private:
  const base::JsonValue::Object& members_;
  std::unordered_map<std::string_view, const base::JsonValue*> places_;
};

}  // namespace vibe::check
