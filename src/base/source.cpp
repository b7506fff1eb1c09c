#include "base/source.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace vibe::base {
namespace {

constexpr std::size_t kBlock = 4096;

bool starts_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

std::uint32_t count_starts(std::string_view text) {
  return static_cast<std::uint32_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

// A line ends with `\n`, `\r\n` or a lone `\r`.
std::vector<std::uint32_t> find_lines(std::string_view text) {
  std::vector<std::uint32_t> starts{0};
  const bool returns = text.find('\r') != text.npos;
  for (std::size_t at = 0; at < text.size(); ++at) {
    at = returns ? text.find_first_of("\r\n", at) : text.find('\n', at);
    if (at == text.npos) break;
    if (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n') ++at;
    starts.push_back(static_cast<std::uint32_t>(at + 1));
  }
  return starts;
}

}  // namespace

Source::Source(std::string name, std::string text, std::uint32_t first_line)
    : name_(std::move(name)),
      text_(std::move(text)),
      first_line_(first_line),
      line_starts_(find_lines(text_)) {
  if (is_ascii(text_)) return;
  const std::string_view all = text_;
  code_points_.reserve(all.size() / kBlock + 1);
  std::uint32_t before = 0;
  for (std::size_t at = 0; at <= all.size(); at += kBlock) {
    code_points_.push_back(before);
    before += count_starts(all.substr(at, kBlock));
  }
}

std::size_t Source::line_index(std::uint32_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<std::size_t>(after - line_starts_.begin()) - 1;
}

std::uint32_t Source::code_points_before(std::uint32_t offset) const {
  if (code_points_.empty()) return offset;
  const std::size_t block = offset / kBlock, begin = block * kBlock;
  return code_points_[block] + count_starts(text().substr(begin, offset - begin));
}

Position Source::position(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  for (int back = 0;
       back < 3 && offset > 0 && offset < text_.size() && !starts_code_point(text_[offset]); ++back)
    --offset;
  const std::size_t line = line_index(offset);
  return {first_line_ + static_cast<std::uint32_t>(line),
          code_points_before(offset) - code_points_before(line_starts_[line]) + 1};
}

std::uint32_t Source::line_begin(std::uint32_t offset) const {
  return line_starts_[line_index(offset)];
}

std::string_view Source::line_at(std::uint32_t offset) const {
  const std::size_t line = line_index(offset);
  const std::size_t end = line + 1 < line_starts_.size() ? line_starts_[line + 1] : text_.size();
  auto found = text().substr(line_starts_[line], end - line_starts_[line]);
  if (line + 1 < line_starts_.size()) {
    if (found.ends_with('\n')) found.remove_suffix(1);
    if (found.ends_with('\r')) found.remove_suffix(1);
  }
  return found;
}

SourcePtr make_source(std::string name, std::string text, std::uint32_t first_line) {
  return std::make_shared<const Source>(std::move(name), std::move(text), first_line);
}

Span Passage::locate(Span in_text) const {
  if (offsets.empty()) return in_text;
  const auto last = static_cast<std::uint32_t>(offsets.size() - 1);
  const std::uint32_t begin = std::min(in_text.begin, last);
  return {offsets[begin], offsets[std::clamp(in_text.end, begin, last)]};
}

Passage whole(SourcePtr source) {
  std::string text(source->text());
  return {std::move(text), std::move(source), {}};
}

}  // namespace vibe::base
