#include "trace/execution.h"

#include <algorithm>
#include <cstdlib>

#include "base/text.h"

namespace vibe::trace {

namespace {

// The length of ``` or ~~~ at the beginning of a line, which may be indented by three.
std::size_t fence_length(std::string_view line, char& mark) {
  std::size_t at = 0;
  while (at < line.size() && at < 3 && line[at] == ' ') ++at;
  if (at >= line.size() || (line[at] != '`' && line[at] != '~')) return 0;
  mark = line[at];
  const std::size_t begin = at;
  while (at < line.size() && line[at] == mark) ++at;
  if (at - begin < 3) return 0;
  if (mark == '`' && line.find('`', at) != std::string_view::npos) return 0;
  return at - begin;
}

bool closes(std::string_view line, char open_mark, std::size_t open_length) {
  char mark = 0;
  const std::size_t length = fence_length(line, mark);
  const std::string_view trimmed = base::trim(line);
  return length >= open_length && mark == open_mark &&
         trimmed.find_first_not_of(mark) == std::string_view::npos;
}

bool is_header(std::string_view line) {
  const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  return level >= 1 && level <= 6 && level < line.size() &&
         (line[level] == ' ' || line[level] == '\t');
}

bool is_list_item(std::string_view line) {
  const std::string_view text = base::trim(line);
  if (text.size() < 2) return false;
  const auto space = [&](std::size_t at) {
    return at < text.size() && (text[at] == ' ' || text[at] == '\t');
  };
  if (text[0] == '-' || text[0] == '*' || text[0] == '+') return space(1);
  std::size_t digits = 0;
  while (digits < text.size() && digits < 9 && text[digits] >= '0' && text[digits] <= '9') ++digits;
  return digits > 0 && digits < text.size() && (text[digits] == '.' || text[digits] == ')') &&
         space(digits + 1);
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::unknown: return "unknown";
    case Outcome::success: return "success";
    case Outcome::failure: return "failure";
  }
  std::abort();
}

void Tokens::add(const Tokens& more) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000;  // as count_of() reads it again
  if (!any()) cache_in_input = more.cache_in_input;
  if (cache_in_input != more.cache_in_input && more.any()) {  // one of them has to be put otherwise
    input = std::min(all_input(), kMost);
    Tokens other = more;
    other.input = std::min(more.all_input(), kMost);
    cache_in_input = other.cache_in_input = true;
    return add(other);
  }
  for (const auto count :
       {&Tokens::input, &Tokens::output, &Tokens::cache_read, &Tokens::cache_write})
    this->*count = std::min(this->*count + std::min(more.*count, kMost), kMost);
}

std::int64_t Tokens::all_input() const {
  return input + (cache_in_input ? 0 : cache_read + cache_write);
}

Structure structure_of(std::string_view markdown) {
  Structure out;
  char mark = 0;
  std::size_t open = 0;
  while (!markdown.empty()) {
    const std::size_t end = markdown.find('\n');
    const std::string_view line = markdown.substr(0, end);
    markdown.remove_prefix(end == std::string_view::npos ? markdown.size() : end + 1);
    if (open > 0) {
      if (closes(line, mark, open)) open = 0;
      continue;
    }
    open = fence_length(line, mark);
    out.code_blocks |= open > 0;
    if (open > 0) continue;
    out.headers |= is_header(line);
    out.lists |= is_list_item(line);
  }
  return out;
}

}  // namespace vibe::trace
