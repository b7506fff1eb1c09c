#include "base/json_dom.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/json.h"
#include "base/json_value.h"

namespace vibe::base {

namespace dom = simdjson::dom;

namespace {

static_assert(sizeof(dom::element) == sizeof(std::array<std::uint64_t, 2>) &&
              std::is_trivially_copyable_v<dom::element>);
static_assert(sizeof(dom::array::iterator) == sizeof(std::array<std::uint64_t, 2>) &&
              std::is_trivially_copyable_v<dom::array::iterator>);
static_assert(sizeof(dom::object::iterator) == sizeof(std::array<std::uint64_t, 2>) &&
              std::is_trivially_copyable_v<dom::object::iterator>);

using Words = std::array<std::uint64_t, 2>;

dom::element element(const Words& where) { return std::bit_cast<dom::element>(where); }

std::array<std::uint64_t, 4> range(const auto& begin, const auto& end) {
  const auto from = std::bit_cast<Words>(begin), to = std::bit_cast<Words>(end);
  return {from[0], from[1], to[0], to[1]};
}

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  seed ^= value + 0x9E3779B97F4A7C15u + (seed << 6) + (seed >> 2);
  return seed * 0xFF51AFD7ED558CCDu;
}

std::uint64_t hash_of(dom::element value) {
  const auto text = [](std::string_view bytes) { return std::hash<std::string_view>{}(bytes); };
  std::uint64_t out = static_cast<std::uint64_t>(value.type());
  switch (value.type()) {
    case dom::element_type::ARRAY:
      for (const dom::element item : dom::array(value.get_array())) out = mix(out, hash_of(item));
      return out;
    case dom::element_type::OBJECT:
      for (const auto& [key, item] : dom::object(value.get_object()))
        out = mix(mix(out, text(key)), hash_of(item));
      return out;
    case dom::element_type::STRING: return mix(out, text(value.get_string().value_unsafe()));
    case dom::element_type::INT64:
      return mix(out, static_cast<std::uint64_t>(value.get_int64().value_unsafe()));
    case dom::element_type::UINT64: return mix(out, value.get_uint64().value_unsafe());
    case dom::element_type::DOUBLE:
      return mix(out, std::bit_cast<std::uint64_t>(value.get_double().value_unsafe()));
    case dom::element_type::BOOL: return mix(out, value.get_bool().value_unsafe() ? 1 : 2);
    case dom::element_type::NULL_VALUE: return out;
  }
  return out;
}

// False once the output is too long; the rest is not visited.
bool write(JsonWriter& json, dom::element value, std::size_t most) {
  if (json.text().size() > most) return false;
  switch (value.type()) {
    case dom::element_type::ARRAY:
      json.begin_array();
      for (const dom::element item : dom::array(value.get_array()))
        if (!write(json, item, most)) return false;
      json.end_array();
      return true;
    case dom::element_type::OBJECT:
      json.begin_object();
      for (const auto& [key, item] : dom::object(value.get_object())) {
        json.key(key);
        if (!write(json, item, most)) return false;
      }
      json.end_object();
      return true;
    case dom::element_type::STRING:
      json.string(value.get_string().value_unsafe().substr(0, most + 4));
      return true;
    case dom::element_type::INT64: json.integer(value.get_int64().value_unsafe()); return true;
    case dom::element_type::UINT64:
      json.raw(fmt::format("{}", value.get_uint64().value_unsafe()));
      return true;
    case dom::element_type::DOUBLE: json.number(value.get_double().value_unsafe()); return true;
    case dom::element_type::BOOL: json.boolean(value.get_bool().value_unsafe()); return true;
    case dom::element_type::NULL_VALUE: json.null(); return true;
  }
  return true;
}

JsonError error_of(simdjson::error_code error) {
  switch (error) {
    case simdjson::EMPTY: return JsonError::empty;
    case simdjson::UTF8_ERROR: return JsonError::not_utf8;
    case simdjson::DEPTH_ERROR: return JsonError::too_deep;
    case simdjson::UNCLOSED_STRING: return JsonError::open_string;
    case simdjson::STRING_ERROR: return JsonError::bad_escape;
    case simdjson::UNESCAPED_CHARS: return JsonError::control_character;
    default: return JsonError::misplaced;
  }
}

}  // namespace

JsonType JsonView::type() const {
  switch (element(where_).type()) {
    case dom::element_type::ARRAY: return JsonType::array;
    case dom::element_type::OBJECT: return JsonType::object;
    case dom::element_type::INT64:
    case dom::element_type::UINT64:
    case dom::element_type::DOUBLE: return JsonType::number;
    case dom::element_type::STRING: return JsonType::text;
    case dom::element_type::BOOL: return JsonType::boolean;
    case dom::element_type::NULL_VALUE: break;
  }
  return JsonType::null;
}

bool JsonView::is_null() const { return there_ && element(where_).is_null(); }
bool JsonView::is_object() const { return there_ && element(where_).is_object(); }
bool JsonView::is_array() const { return there_ && element(where_).is_array(); }

std::optional<std::string_view> JsonView::text() const {
  std::string_view out;
  if (!there_ || element(where_).get(out) != simdjson::SUCCESS) return std::nullopt;
  return out;
}

std::optional<bool> JsonView::boolean() const {
  bool out = false;
  if (!there_ || element(where_).get(out) != simdjson::SUCCESS) return std::nullopt;
  return out;
}

std::optional<double> JsonView::number() const {
  double out = 0;
  if (!there_ || element(where_).get(out) != simdjson::SUCCESS) return std::nullopt;
  return out;
}

std::optional<std::int64_t> JsonView::integer() const {
  std::int64_t out = 0;
  if (!there_) return std::nullopt;
  if (element(where_).get(out) == simdjson::SUCCESS) return out;
  const auto value = number();
  if (!value || std::trunc(*value) != *value || std::abs(*value) > 9.0e18) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

JsonView JsonView::operator[](std::string_view key) const {
  JsonView out;
  if (!is_object()) return out;
  for (const auto& [name, value] : dom::object(element(where_).get_object()))
    if (name == key) {
      out.where_ = std::bit_cast<Words>(value);
      out.there_ = true;
    }
  return out;
}

JsonView JsonView::at(std::size_t index) const {
  JsonView out;
  if (!is_array()) return out;
  for (const dom::element value : dom::array(element(where_).get_array()))
    if (index-- == 0) {
      out.where_ = std::bit_cast<Words>(value);
      out.there_ = true;
      break;
    }
  return out;
}

std::size_t JsonView::size() const {
  if (is_array()) return dom::array(element(where_).get_array()).size();
  if (is_object()) return dom::object(element(where_).get_object()).size();
  return 0;
}

std::int64_t JsonView::count_of(std::string_view key) const {
  return std::clamp<std::int64_t>((*this)[key].integer().value_or(0), 0, 1'000'000'000'000'000);
}

std::uint64_t JsonView::hash() const { return there_ ? hash_of(element(where_)) : 0; }

std::string JsonView::dump(std::size_t most) const {
  if (!there_) return {};
  JsonWriter json;
  write(json, element(where_), most);
  std::string out = json.text();
  if (out.size() > most) {
    while (most > 0 && (static_cast<unsigned char>(out[most]) & 0xC0) == 0x80) --most;
    out.resize(most);
    out += "…";
  }
  return out;
}

JsonView::Cursor JsonView::elements() const {
  if (!is_array()) return {};
  const auto array = dom::array(element(where_).get_array());
  return {.where = range(array.begin(), array.end()), .object = false};
}

JsonView::Cursor JsonView::fields() const {
  if (!is_object()) return {};
  const auto object = dom::object(element(where_).get_object());
  return {.where = range(object.begin(), object.end()), .object = true};
}

bool JsonView::next(Cursor& cursor, JsonView& item, std::string_view* key) {
  const auto advance = [&]<class Iterator>(Iterator at, auto take) {
    const Words end{cursor.where[2], cursor.where[3]};
    if (end == Words{} || !(at != std::bit_cast<Iterator>(end))) return false;
    take(at);
    item.there_ = true;
    const auto now = std::bit_cast<Words>(++at);
    cursor.where[0] = now[0];
    cursor.where[1] = now[1];
    return true;
  };
  const Words where{cursor.where[0], cursor.where[1]};
  if (cursor.object)
    return advance(std::bit_cast<dom::object::iterator>(where), [&](const auto& at) {
      if (key) *key = at.key();
      item.where_ = std::bit_cast<Words>(at.value());
    });
  return advance(std::bit_cast<dom::array::iterator>(where),
                 [&](const auto& at) { item.where_ = std::bit_cast<Words>(*at); });
}

struct JsonDom::Memory {
  dom::parser parser;
};

JsonDom::JsonDom(std::size_t most_depth) : memory_(std::make_unique<Memory>()) {
  // If this runs out of memory, parse() fails as well.
  [[maybe_unused]] const auto error = memory_->parser.allocate(kPadding, most_depth);
}
JsonDom::JsonDom(JsonDom&&) noexcept = default;
JsonDom& JsonDom::operator=(JsonDom&&) noexcept = default;
JsonDom::~JsonDom() = default;

tl::expected<JsonView, JsonError> JsonDom::parse(std::string_view text, bool padded) {
  dom::element root;
  if (const auto error = memory_->parser.parse(text.data(), text.size(), !padded).get(root))
    return tl::unexpected(error_of(error));
  JsonView out;
  out.where_ = std::bit_cast<Words>(root);
  out.there_ = true;
  return out;
}

// ---- the tree of plain values

namespace {

constexpr std::size_t kMaxDepth = 256;

// The parser refuses deeper documents, so this recursion is bounded.
JsonValue convert(dom::element element) {
  switch (element.type()) {
    case dom::element_type::ARRAY: {
      JsonValue::Array out;
      for (const dom::element item : dom::array(element)) out.push_back(convert(item));
      return JsonValue(std::move(out));
    }
    case dom::element_type::OBJECT: {
      JsonValue::Object out;
      for (const auto& [key, value] : dom::object(element))
        out.emplace_back(std::string(key), convert(value));
      return JsonValue(std::move(out));
    }
    case dom::element_type::INT64: return JsonValue(std::int64_t(element));
    case dom::element_type::UINT64: return JsonValue(static_cast<double>(std::uint64_t(element)));
    case dom::element_type::DOUBLE: return JsonValue(double(element));
    case dom::element_type::STRING: return JsonValue(std::string(std::string_view(element)));
    case dom::element_type::BOOL: return JsonValue(bool(element));
    case dom::element_type::NULL_VALUE: break;
  }
  return JsonValue();
}

tl::expected<JsonValue, std::string> parse_with(dom::parser& parser, std::string_view text) {
  if (parser.max_depth() != kMaxDepth && parser.allocate(0, kMaxDepth) != simdjson::SUCCESS)
    return tl::unexpected(std::string("out of memory"));
  dom::element root;
  const auto error = parser.parse(text.data(), text.size()).get(root);
  if (error == simdjson::DEPTH_ERROR)
    return tl::unexpected("nested more than " + std::to_string(kMaxDepth) + " levels deep");
  if (error == simdjson::EMPTY) return tl::unexpected(std::string("it is empty"));
  if (error == simdjson::UTF8_ERROR) return tl::unexpected(std::string("it is not UTF-8"));
  if (error) return tl::unexpected(std::string("it is not valid JSON"));
  return convert(root);
}

// Each thread keeps a parser with the memory of its largest document, up to this size.
constexpr std::size_t kMostKept = std::size_t{1} << 20;

}  // namespace

tl::expected<JsonValue, std::string> parse_json(std::string_view text) {
  thread_local dom::parser kept;
  if (text.size() <= kMostKept) return parse_with(kept, text);
  dom::parser own;
  return parse_with(own, text);
}

}  // namespace vibe::base
