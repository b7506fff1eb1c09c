#include "check/json_compare.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <variant>

namespace vibe::check {

using base::JsonValue;

namespace {

__extension__ using Wide = unsigned __int128;

std::size_t mix(std::size_t seed, std::size_t part) {
  return (seed ^ part) * 0x9e3779b97f4a7c15u + (seed >> 29);
}

// Exact, also for a double beyond 2^53.
std::optional<std::int64_t> exact_integer(const JsonValue& number) {
  if (const auto value = number.integer()) return value;
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  const auto value = number.number();
  if (!value || std::trunc(*value) != *value || *value >= kLimit || *value < -kLimit)
    return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

// A number without its sign: digits · 10^exponent.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

// A double has at most 17 digits, so they fit.
Decimal decimal_of(const JsonValue& number) {
  Decimal out;
  if (const auto whole = exact_integer(number)) {
    out.digits =
        *whole < 0 ? 0 - static_cast<std::uint64_t>(*whole) : static_cast<std::uint64_t>(*whole);
    return out;
  }
  std::array<char, 40> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), std::abs(number.number().value_or(0)),
                    std::chars_format::scientific)
          .ptr;
  const char* at = text.data();
  bool after_point = false;
  for (; at != end && *at != 'e'; ++at) {
    if (*at == '.') {
      after_point = true;
      continue;
    }
    out.digits = out.digits * 10 + static_cast<std::uint64_t>(*at - '0');
    if (after_point) --out.exponent;
  }
  int exponent = 0;
  if (at != end) ++at;  // the `e`
  if (at != end && *at == '+') ++at;
  std::from_chars(at, end, exponent);
  out.exponent += exponent;
  return out;
}

// digits · 10^power mod `of`.
std::uint64_t scaled_remainder(std::uint64_t digits, int power, std::uint64_t of) {
  Wide out = digits % of, factor = 10 % of;
  for (; power > 0; power >>= 1) {
    if (power & 1) out = out * factor % of;
    factor = factor * factor % of;
  }
  return static_cast<std::uint64_t>(out);
}

}  // namespace

bool is_same(const JsonValue& a, const JsonValue& b) {
  if (const auto* left = a.array()) {
    const auto* right = b.array();
    return right && std::equal(left->begin(), left->end(), right->begin(), right->end(), is_same);
  }
  if (const auto* left = a.object()) {
    const auto* right = b.object();
    if (!right || left->size() != right->size()) return false;
    const Members members(*right);
    return std::all_of(left->begin(), left->end(), [&](const auto& member) {
      const JsonValue* other = members.find(member.first);
      return other && is_same(member.second, *other);
    });
  }
  if (const auto* left = a.text()) return b.text() && *left == *b.text();
  if (const auto left = a.boolean()) return left == b.boolean();
  if (a.number()) {
    if (!b.number()) return false;
    const auto left = exact_integer(a), right = exact_integer(b);
    return left || right ? left == right : a.number() == b.number();
  }
  return b.is_null();
}

std::size_t hash_of(const JsonValue& value) {
  constexpr std::size_t kNull = 1, kArray = 2, kObject = 3;
  if (const auto* items = value.array()) {
    std::size_t out = kArray;
    for (const auto& item : *items) out = mix(out, hash_of(item));
    return out;
  }
  if (const auto* members = value.object()) {
    std::size_t out = kObject;  // a sum, since the order does not matter
    for (const auto& [key, member] : *members)
      out += mix(std::hash<std::string>{}(key), hash_of(member));
    return out;
  }
  if (const auto* text = value.text()) return std::hash<std::string>{}(*text);
  if (const auto flag = value.boolean()) return mix(kNull, *flag ? 1 : 2);
  if (const auto whole = exact_integer(value)) return mix(0, static_cast<std::size_t>(*whole));
  if (const auto number = value.number()) return std::hash<double>{}(*number);
  return kNull;
}

bool is_whole(const JsonValue& number) {
  if (number.integer()) return true;
  const auto value = number.number();
  return value && std::trunc(*value) == *value;
}

// A long double holds every 64-bit integer and every double.
bool is_less(const JsonValue& a, const JsonValue& b) {
  const auto exact = [](const JsonValue& number) {
    const auto whole = number.integer();
    return whole ? static_cast<long double>(*whole)
                 : static_cast<long double>(number.number().value_or(0));
  };
  return exact(a) < exact(b);
}

bool is_multiple(const JsonValue& number, const JsonValue& of) {
  const Decimal value = decimal_of(number), unit = decimal_of(of);
  if (value.digits == 0) return true;
  if (value.exponent >= unit.exponent)
    return scaled_remainder(value.digits, value.exponent - unit.exponent, unit.digits) == 0;
  Wide divisor = unit.digits;
  for (int power = unit.exponent - value.exponent; power > 0; --power) {
    divisor *= 10;
    if (divisor > value.digits) return false;
  }
  return value.digits % divisor == 0;
}

JsonSet::JsonSet(JsonValue::Array values) : values_(std::move(values)) {
  for (std::size_t i = 0; i < values_.size(); ++i) places_.emplace(hash_of(values_[i]), i);
}

bool JsonSet::contains(const JsonValue& value) const {
  const auto [begin, end] = places_.equal_range(hash_of(value));
  return std::any_of(begin, end,
                     [&](const auto& place) { return is_same(values_[place.second], value); });
}

std::optional<std::pair<std::size_t, std::size_t>> first_repeated(const JsonValue::Array& items) {
  std::unordered_multimap<std::size_t, std::size_t> seen;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t hash = hash_of(items[i]);
    const auto [begin, end] = seen.equal_range(hash);
    for (auto place = begin; place != end; ++place)
      if (is_same(items[place->second], items[i])) return std::pair(place->second, i);
    seen.emplace(hash, i);
  }
  return std::nullopt;
}

Members::Members(const JsonValue::Object& members) : members_(members) {
  constexpr std::size_t kFew = 16;
  if (members.size() <= kFew) return;
  for (const auto& [key, value] : members) places_.insert_or_assign(key, &value);
}

const JsonValue* Members::find(std::string_view key) const {
  if (!places_.empty()) {
    const auto found = places_.find(key);
    return found == places_.end() ? nullptr : found->second;
  }
  const auto found = std::find_if(members_.rbegin(), members_.rend(),
                                  [&](const auto& member) { return member.first == key; });
  return found == members_.rend() ? nullptr : &found->second;
}

}  // namespace vibe::check
