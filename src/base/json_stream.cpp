#include "base/json_stream.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json_value.h"
#include "base/text.h"

namespace vibe::base {

namespace {

constexpr std::size_t kBuffer = 256u << 10, kMaxKey = 64u << 10;

bool ends_token(char c) {
  return is_space(c) || c == ',' || c == ':' || c == '"' || c == '{' || c == '}' || c == '[' ||
         c == ']';
}

std::string shown_character(int c) {
  if (c < 0) return "the end of the input";
  const char byte = static_cast<char>(c);
  return c < 0x20 || c > 0x7E ? fmt::format("the byte {:02X}", c) : fmt::format("`{}`", byte);
}

// The offset after a run of bytes, from `at`, that cannot end a string.
std::size_t after_plain(std::string_view text, std::size_t at) {
  const char* const end = text.data() + text.size();
  const char* c = text.data() + at;
  while (c != end && *c != '"' && *c != '\\') ++c;
  return static_cast<std::size_t>(c - text.data());
}

}  // namespace

JsonStream::JsonStream(ByteSource& source) : source_(source), buffer_(kBuffer, '\0') {
  if (character() == 0xEF) {  // a byte order mark
    for (const char c : std::string_view("\xEF\xBB\xBF"))
      if (character() == static_cast<unsigned char>(c)) ++position_;
  }
}

bool JsonStream::fill() {
  if (failure_) return false;
  count_lines(end_);
  position_ = end_ = counted_ = 0;
  const auto got = source_.read(buffer_.data(), buffer_.size());
  if (!got) {
    failure_ = {"", line_here(), got.error()};
    return false;
  }
  end_ = *got;
  return end_ > 0;
}

int JsonStream::character() {
  if (position_ == end_ && !fill()) return -1;
  return static_cast<unsigned char>(buffer_[position_]);
}

int JsonStream::look() {
  for (;;) {
    while (position_ < end_ && is_space(buffer_[position_])) ++position_;
    if (position_ < end_) return static_cast<unsigned char>(buffer_[position_]);
    if (!fill()) return -1;
  }
}

char JsonStream::next() {
  const int c = failure_ ? -1 : look();
  return c < 0 ? '\0' : static_cast<char>(c);
}

std::uint64_t JsonStream::line() {
  if (!failure_) look();
  return line_here();
}

std::uint64_t JsonStream::line_here() {
  count_lines(position_);
  return 1 + lines_;
}

void JsonStream::count_lines(std::size_t end) {
  const std::string_view passed(buffer_.data() + counted_, end - counted_);
  lines_ += static_cast<std::uint64_t>(std::count(passed.begin(), passed.end(), '\n'));
  counted_ = end;
}

bool JsonStream::fail(std::string message) {
  if (!failure_) failure_ = {std::move(message), line_here(), std::nullopt};
  return false;
}

bool JsonStream::keep(std::string* out, std::string_view bytes, std::size_t limit) {
  if (!out) return true;
  if (bytes.size() > limit - std::min(limit, out->size()))
    return fail(fmt::format("this value is longer than {} bytes", limit));
  out->append(bytes);
  return true;
}

bool JsonStream::string(std::string* out, std::size_t limit) {
  if (!keep(out, "\"", limit)) return false;
  ++position_;
  for (;;) {
    if (position_ == end_ && !fill()) return fail("a string is not closed");
    const std::string_view bytes(buffer_.data(), end_);
    const std::size_t stop = after_plain(bytes, position_);
    if (!keep(out, bytes.substr(position_, stop - position_), limit)) return false;
    position_ = stop;
    if (stop == end_) continue;
    const char c = buffer_[position_++];
    if (!keep(out, std::string_view(&c, 1), limit)) return false;
    if (c == '"') return true;
    const int escaped = character();
    if (escaped < 0) return fail("a string is not closed");
    ++position_;
    const char second = static_cast<char>(escaped);
    if (!keep(out, std::string_view(&second, 1), limit)) return false;
  }
}

bool JsonStream::value(std::string* out, std::size_t limit) {
  std::string open;  // brackets that still have to be closed
  std::string token;
  do {
    const int c = look();
    if (c < 0)
      return fail(open.empty() ? "a value is missing at the end of the input"
                               : fmt::format("the input ends inside `{}`", open.back()));
    const char byte = static_cast<char>(c);
    if (byte == '"') {
      if (!string(out, limit)) return false;
    } else if (byte == '{' || byte == '[') {
      if (open.size() + depth_ >= kMaxDepth)
        return fail(fmt::format("nested more than {} levels deep", kMaxDepth));
      open += byte;
      ++position_;
      if (!keep(out, std::string_view(&byte, 1), limit)) return false;
    } else if (byte == '}' || byte == ']') {
      if (open.empty() || open.back() != (byte == '}' ? '{' : '['))
        return fail(fmt::format("{} without an opening bracket", shown_character(c)));
      open.pop_back();
      ++position_;
      if (!keep(out, std::string_view(&byte, 1), limit)) return false;
    } else if (byte == ',' || byte == ':') {
      if (open.empty())
        return fail(fmt::format("{} where a value was expected", shown_character(c)));
      ++position_;
      if (!keep(out, std::string_view(&byte, 1), limit)) return false;
    } else {  // a number or a word
      token.clear();
      for (int t = c; t >= 0 && !ends_token(static_cast<char>(t)); t = character()) {
        if (token.size() == kMaxKey) return fail("a number or word does not end");
        token += static_cast<char>(t);
        ++position_;
      }
      if (token == "NaN" || token == "Infinity" || token == "-Infinity") token = "null";
      if (!keep(out, token, limit)) return false;
    }
  } while (!open.empty());
  ++taken_;
  return !failure_;
}

bool JsonStream::skip() { return !failure_ && value(nullptr, 0); }

bool JsonStream::copy(std::string& out, std::size_t limit) {
  return !failure_ && value(&out, limit);
}

bool JsonStream::read_key() {
  if (look() != '"')
    return fail(fmt::format("{} where a member name was expected", shown_character(look())));
  key_.clear();
  if (!string(&key_, kMaxKey)) return false;
  if (look() != ':') return fail(fmt::format("{} where `:` was expected", shown_character(look())));
  ++position_;
  return true;
}

// Before a member or item: consumes the comma, or the closing bracket.
bool JsonStream::separator(char close, bool& first, bool& more) {
  const int c = look();
  more = c != close;
  if (c == close) {
    ++position_;
    return true;
  }
  if (c < 0) return fail(fmt::format("the input ends where `{}` was expected", close));
  if (!first && c != ',')
    return fail(fmt::format("{} where `,` or `{}` was expected", shown_character(c), close));
  if (!first) ++position_;
  first = false;
  return true;
}

bool JsonStream::object(const OnMember& on_member) {
  if (next() != '{') return false;
  if (depth_ >= kMaxDepth) return fail(fmt::format("nested more than {} levels deep", kMaxDepth));
  ++position_;
  ++depth_;
  bool first = true, more = true;
  while (separator('}', first, more) && more) {
    if (!read_key()) break;
    std::string_view name = std::string_view(key_).substr(1, key_.size() - 2);
    std::string decoded;
    if (name.find('\\') != std::string_view::npos) {
      const auto parsed = parse_json(key_);
      if (parsed && parsed->text()) name = decoded = *parsed->text();
    }
    const std::uint64_t before = taken_;
    on_member(std::string(name));
    if (taken_ == before && !skip()) break;
    if (failure_) break;
  }
  --depth_;
  ++taken_;
  return !failure_;
}

bool JsonStream::array(const std::function<void()>& on_item) {
  if (next() != '[') return false;
  if (depth_ >= kMaxDepth) return fail(fmt::format("nested more than {} levels deep", kMaxDepth));
  ++position_;
  ++depth_;
  bool first = true, more = true;
  while (separator(']', first, more) && more) {
    const std::uint64_t before = taken_;
    on_item();
    if (taken_ == before && !skip()) break;
    if (failure_) break;
  }
  --depth_;
  ++taken_;
  return !failure_;
}

bool JsonStream::copy_members(std::span<const std::string_view> paths, std::string& out,
                              std::size_t limit) {
  if (next() != '{') return copy(out, limit);
  out += '{';
  bool first = true;
  const bool whole = object([&](std::string_view key) {
    std::vector<std::string_view> within;
    bool all = false;
    for (const std::string_view path : paths) {
      if (!path.starts_with(key)) continue;
      all = all || path.size() == key.size();
      if (path.size() > key.size() && path[key.size()] == '/')
        within.push_back(path.substr(key.size() + 1));
    }
    if (!all && within.empty()) return;
    if (!first) out += ',';
    first = false;
    out += key_;
    out += ':';
    if (all)
      copy(out, limit);
    else
      copy_members(within, out, limit);
  });
  out += '}';
  return whole;
}

}  // namespace vibe::base
