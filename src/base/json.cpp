#include "base/json.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace vibe::base {
namespace {

void append_escaped(std::string& out, unsigned char byte) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (byte) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  out += "\\u00";
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

}  // namespace

void JsonWriter::new_line() {
  if (!indented_) return;
  out_ += '\n';
  out_.append(2 * has_entries_.size(), ' ');
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_entries_.empty()) return;
  if (has_entries_.back()) out_ += ',';
  has_entries_.back() = true;
  new_line();
}

void JsonWriter::open(char bracket) {
  before_value();
  out_ += bracket;
  has_entries_.push_back(false);
}

void JsonWriter::close(char bracket) {
  const bool had_entries = has_entries_.back();
  has_entries_.pop_back();
  if (had_entries) new_line();
  out_ += bracket;
}

JsonWriter& JsonWriter::begin_object() {
  open('{');
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  close('}');
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  open('[');
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  close(']');
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  string(name);
  out_ += indented_ ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view text) {
  before_value();
  out_ += '"';
  std::size_t plain = 0;  // start of the part not yet copied
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\') {
      ++at;
      continue;
    }
    const CodePoint next = decode(text, at);
    if (!next.valid || byte < 0x80) {
      out_ += text.substr(plain, at - plain);
      if (next.valid)
        append_escaped(out_, byte);
      else
        append_utf8(out_, next.value);
      plain = at + next.length;
    }
    at += next.length;
  }
  out_ += text.substr(plain);
  out_ += '"';
  return *this;
}

JsonWriter& JsonWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  before_value();
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out_.append(digits.data(), end);
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
  before_value();
  out_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  before_value();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  before_value();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  before_value();
  out_ += json;
  return *this;
}

}  // namespace vibe::base
