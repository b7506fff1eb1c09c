#include "trace/json.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/decimal.h"
#include "base/json.h"
#include "base/text.h"

namespace vibe::trace {

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

// False once there is too much: the rest is not looked at.
bool write(base::JsonWriter& json, dom::element value, std::size_t most) {
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

int hex(std::string_view text, std::size_t at) {
  int out = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    if (i >= text.size()) return -1;
    const char c = text[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    out = out * 16 + digit;
  }
  return out;
}

bool is_high(int unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low(int unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Appends the escape at `at` and returns where the text goes on.
std::size_t mend_escape(std::string_view text, std::size_t at, std::string& out) {
  if (at + 1 >= text.size() || text[at + 1] != 'u') {
    out += text.substr(at, 2);
    return at + 2;
  }
  const int unit = hex(text, at + 2);
  const bool paired = is_high(unit) && text.substr(at + 6, 2) == "\\u" && is_low(hex(text, at + 8));
  const std::size_t length = unit < 0 ? 2 : paired ? 12 : 6;
  out += !paired && (is_high(unit) || is_low(unit)) ? std::string_view("\\ufffd")
                                                    : text.substr(at, length);
  return at + length;
}

// The number that begins there, or what looks like one to its end.
std::string_view number_at(std::string_view text, std::size_t at) {
  const std::size_t end = text.find_first_not_of("0123456789+-.eE", at);
  return text.substr(at, std::min(end, text.size()) - at);
}

// A whole number of more than 64 bits becomes a double, what is beyond those is not known: the
// parser takes neither, though both are JSON.
void append_number(std::string_view number, std::string& out) {
  constexpr std::size_t kAlwaysFits = 18;  // digits
  if (number.size() <= kAlwaysFits && number.find_first_of("eE") == std::string_view::npos) {
    out += number;
    return;
  }
  const bool is_whole = number.find_first_of(".eE") == std::string_view::npos;
  std::uint64_t whole = 0;
  const bool fits =
      is_whole &&
      (base::parse_integer(number) ||
       std::from_chars(number.data(), number.data() + number.size(), whole).ec == std::errc{});
  if (fits || !base::is_json_number(number)) {
    out += number;
    return;
  }
  const auto value = base::parse_double(number);
  if (!value)
    out += "null";
  else if (is_whole)
    out += fmt::format("{}", *value);
  else
    out += number;
}

}  // namespace

bool Json::is_null() const { return there_ && element(where_).is_null(); }
bool Json::is_object() const { return there_ && element(where_).is_object(); }
bool Json::is_array() const { return there_ && element(where_).is_array(); }

std::optional<std::string_view> Json::text() const {
  std::string_view out;
  if (!there_ || element(where_).get(out) != simdjson::SUCCESS) return std::nullopt;
  return out;
}

std::optional<bool> Json::boolean() const {
  bool out = false;
  if (!there_ || element(where_).get(out) != simdjson::SUCCESS) return std::nullopt;
  return out;
}

std::optional<double> Json::number() const {
  double out = 0;
  if (!there_ || element(where_).get(out) != simdjson::SUCCESS) return std::nullopt;
  return out;
}

std::optional<std::int64_t> Json::integer() const {
  std::int64_t out = 0;
  if (!there_) return std::nullopt;
  if (element(where_).get(out) == simdjson::SUCCESS) return out;
  const auto value = number();
  if (!value || std::trunc(*value) != *value || std::abs(*value) > 9.0e18) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

Json Json::operator[](std::string_view key) const {
  Json out;
  if (!is_object()) return out;
  for (const auto& [name, value] : dom::object(element(where_).get_object()))
    if (name == key) {
      out.where_ = std::bit_cast<Words>(value);
      out.there_ = true;
    }
  return out;
}

Json Json::at(std::size_t index) const {
  Json out;
  if (!is_array()) return out;
  for (const dom::element value : dom::array(element(where_).get_array()))
    if (index-- == 0) {
      out.where_ = std::bit_cast<Words>(value);
      out.there_ = true;
      break;
    }
  return out;
}

std::size_t Json::size() const {
  if (is_array()) return dom::array(element(where_).get_array()).size();
  if (is_object()) return dom::object(element(where_).get_object()).size();
  return 0;
}

std::int64_t Json::count_of(std::string_view key) const {
  return std::clamp<std::int64_t>((*this)[key].integer().value_or(0), 0, 1'000'000'000'000'000);
}

std::uint64_t Json::hash() const { return there_ ? hash_of(element(where_)) : 0; }

std::string Json::dump(std::size_t most) const {
  if (!there_) return {};
  base::JsonWriter json;
  write(json, element(where_), most);
  std::string out = json.text();
  if (out.size() > most) {
    while (most > 0 && (static_cast<unsigned char>(out[most]) & 0xC0) == 0x80) --most;
    out.resize(most);
    out += "…";
  }
  return out;
}

Json::Cursor Json::elements() const {
  if (!is_array()) return {};
  const auto array = dom::array(element(where_).get_array());
  return {.where = range(array.begin(), array.end()), .object = false};
}

Json::Cursor Json::fields() const {
  if (!is_object()) return {};
  const auto object = dom::object(element(where_).get_object());
  return {.where = range(object.begin(), object.end()), .object = true};
}

bool Json::next(Cursor& cursor, Json& item, std::string_view* key) {
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

struct JsonParser::Memory {
  dom::parser parser;
  std::string mended;
};

JsonParser::JsonParser() : memory_(std::make_unique<Memory>()) {
  // Without memory for it parse() fails, too.
  [[maybe_unused]] const auto error = memory_->parser.allocate(kPadding, kMostDepth);
}
JsonParser::JsonParser(JsonParser&&) noexcept = default;
JsonParser& JsonParser::operator=(JsonParser&&) noexcept = default;
JsonParser::~JsonParser() = default;

Json JsonParser::parse(std::string_view text, bool padded) {
  Json out;
  dom::element root;
  const auto take = [&](const char* bytes, std::size_t size, bool copy) {
    if (memory_->parser.parse(bytes, size, copy).get(root) != simdjson::SUCCESS) return false;
    out.where_ = std::bit_cast<Words>(root);
    out.there_ = true;
    return true;
  };
  was_utf8_ = true;
  if (text.empty() || take(text.data(), text.size(), !padded)) return out;
  was_utf8_ = !base::first_invalid(text);
  memory_->mended = mend_json(text);
  if (memory_->mended != text) take(memory_->mended.data(), memory_->mended.size(), true);
  return out;
}

std::string mend_json(std::string_view text) {
  std::string valid;
  if (base::first_invalid(text)) {
    valid = base::replace_invalid(text);
    text = valid;
  }
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (in_string && c == '\\') {
      at = mend_escape(text, at, out);
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (in_string && static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", c);
      ++at;
      continue;
    }
    if (!in_string) {
      const auto word = [&](std::string_view name) { return text.substr(at).starts_with(name); };
      const std::size_t length = word("NaN") ? 3 : word("Infinity") ? 8 : word("-Infinity") ? 9 : 0;
      if (length > 0) {
        out += "null";
        at += length;
        continue;
      }
      if (c == '-' || (c >= '0' && c <= '9')) {
        const std::string_view number = number_at(text, at);
        append_number(number, out);
        at += number.size();
        continue;
      }
    }
    out += c;
    ++at;
  }
  return out;
}

}  // namespace vibe::trace
