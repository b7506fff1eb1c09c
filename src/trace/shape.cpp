#include "trace/shape.h"

#include <algorithm>
#include <utility>

namespace vibe::trace {

namespace {

constexpr std::size_t kMostText = 64, kMostMembers = 400, kLevels = 3;

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // The next object; the caller continues with the text at position().
  std::optional<Shape> next() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '{') {
        object("", 1);
        if (broken_) skip_line();
        return std::move(shape_);
      }
      if (is_space(c) || c == ',' || c == '[' || c == ']')
        ++at_;
      else
        skip_line();
    }
    return std::nullopt;
  }
  std::size_t position() const { return std::min(at_, text_.size()); }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  bool ended() const { return at_ >= text_.size() || broken_; }
  void space() {
    while (!ended() && is_space(text_[at_])) ++at_;
  }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1; }

  // Passes the string that begins here and returns it, undecoded.
  std::string_view string() {
    const std::size_t begin = ++at_;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\n') broken_ = true;
      if (broken_) return {};
      if (text_[at_] == '\\') ++at_;
    }
    if (at_ >= text_.size()) {
      broken_ = true;
      return {};
    }
    return text_.substr(begin, at_++ - begin);
  }

  void object(const std::string& path, std::size_t level) {
    ++at_;
    for (;;) {
      space();
      if (ended()) return;
      if (text_[at_] == ',') {
        ++at_;
        continue;
      }
      if (text_[at_] == '}') {
        ++at_;
        return;
      }
      if (text_[at_] != '"') {
        broken_ = true;
        return;
      }
      const std::string_view key = string();
      space();
      if (ended() || text_[at_] != ':') {
        broken_ = true;
        return;
      }
      ++at_;
      space();
      if (ended()) return;
      value(path.empty() ? std::string(key) : path + "." + std::string(key), level);
    }
  }

  void value(const std::string& path, std::size_t level) {
    const bool kept = level <= kLevels && shape_.members.size() < kMostMembers;
    const char c = text_[at_];
    std::size_t member = shape_.members.size();
    if (kept) shape_.members.push_back({path, c, {}});
    if (c == '"') {
      const std::string_view text = string();
      if (kept && text.size() <= kMostText) shape_.members[member].text = text;
    } else if (c == '{' && kept) {
      object(path, level + 1);
    } else if (c == '[' && kept) {
      array(path, level);
    } else if (c == '{' || c == '[') {
      skip();
    } else {
      while (!ended() && text_[at_] != ',' && text_[at_] != '}' && text_[at_] != ']' &&
             !is_space(text_[at_]))
        ++at_;
    }
  }

  void array(const std::string& path, std::size_t level) {
    ++at_;
    space();
    if (!ended() && text_[at_] == '{') object(path, level + 1);
    skip_to_end();
  }

  void skip() {
    ++at_;
    skip_to_end();
  }
  void skip_to_end() {  // of the enclosing list or object
    std::size_t depth = 1;
    while (!ended() && depth > 0) {
      const char c = text_[at_];
      if (c == '"') {
        string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Shape shape_;  // so far
  bool broken_ = false;
};

}  // namespace

bool Shape::has(std::string_view path, char begins) const {
  return std::any_of(members.begin(), members.end(), [&](const Member& member) {
    return member.path == path && (begins == 0 || member.begins == begins);
  });
}

std::string_view Shape::text(std::string_view path) const {
  for (const auto& member : members)
    if (member.path == path) return member.text;
  return {};
}

bool Shape::is_one_of(std::string_view path, std::initializer_list<std::string_view> texts) const {
  const std::string_view found = text(path);
  return std::find(texts.begin(), texts.end(), found) != texts.end();
}

Shapes::Shapes(std::string_view head) : rest_(head) {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
}

std::optional<Shape> Shapes::next() {
  if (count_++ == kMost) return std::nullopt;
  Scanner scanner(rest_);
  auto shape = scanner.next();
  rest_.remove_prefix(scanner.position());
  return shape;
}

}  // namespace vibe::trace
