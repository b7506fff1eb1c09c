#include "base/markdown.h"

#include <algorithm>
#include <functional>
#include <optional>

#include <md4c.h>

#include "base/text.h"

namespace vibe::base {

namespace {

// md4c takes quadratic time for three kinds of text. They are defused: a byte that would have a
// meaning is replaced (the outline always takes its text from the original), or the text is read
// without tables.
constexpr char kNeutral = '%';                   // means nothing in Markdown
constexpr std::size_t kMostListColumn = 128;     // a list marker further right is text
constexpr std::size_t kMostLinkSteps = 1 << 30;  // brackets × bytes; above this, links are not read

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::size_t next_column(std::size_t column, char c) {
  return c == '\t' ? (column / 4 + 1) * 4 : column + 1;
}

// The offset of the last byte of the list marker (`-`, `1.`) at `at`; none: there is no marker.
std::optional<std::size_t> list_mark(std::string_view text, std::size_t at) {
  std::size_t last = at;
  if (text[at] >= '0' && text[at] <= '9') {
    while (last < text.size() && last - at < 9 && text[last] >= '0' && text[last] <= '9') ++last;
    if (last == text.size() || (text[last] != '.' && text[last] != ')')) return std::nullopt;
  } else if (text[at] != '-' && text[at] != '+' && text[at] != '*') {
    return std::nullopt;
  }
  const std::size_t behind = last + 1;
  const bool ends = behind == text.size() || is_blank(text[behind]) || text[behind] == '\n';
  return ends ? std::optional(last) : std::nullopt;
}

// What precedes the text of a line: indentation, quote and list markers.
struct Prefix {
  std::size_t end = 0;     // offset of the text
  std::size_t column = 0;  // the text's column
  // A list marker too far to the right, which ends the prefix.
  std::optional<std::size_t> deep_mark;
};

Prefix read_prefix(std::string_view text, std::size_t line) {
  Prefix out;
  out.end = line;
  while (out.end < text.size()) {
    const char c = text[out.end];
    if (is_blank(c) || c == '>') {
      out.column = next_column(out.column, c);
      ++out.end;
      continue;
    }
    const auto last = list_mark(text, out.end);
    if (!last) break;
    if (out.column >= kMostListColumn) {
      out.deep_mark = last;
      break;
    }
    out.column += *last + 1 - out.end;
    out.end = *last + 1;
  }
  return out;
}

std::size_t line_end(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size());
}

// The text, or a copy of the same length that md4c reads in linear time, without zero bytes, and
// with `\n` for each lone `\r`.
std::string_view harmless(std::string_view text, std::string& copy) {
  const auto put = [&](std::size_t at, char c) {
    if (copy.empty()) copy = text;
    copy[at] = c;
  };
  for (auto at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1))
    if (at + 1 == text.size() || text[at + 1] != '\n') put(at, '\n');
  for (auto at = text.find('\0'); at != std::string_view::npos; at = text.find('\0', at + 1))
    put(at, kNeutral);
  const auto brackets = static_cast<std::size_t>(std::count(text.begin(), text.end(), '['));
  if (brackets * text.size() > kMostLinkSteps)
    for (std::size_t at = 0; at < text.size(); ++at)
      if (text[at] == '[') put(at, kNeutral);
  for (std::size_t line = 0; line < text.size();) {
    const std::string_view now = copy.empty() ? text : std::string_view(copy);
    const std::size_t end = line_end(now, line);
    // A list this deep has indentation or markers in all columns before it.
    if (end - line > kMostListColumn / 4)
      if (const auto deep = read_prefix(now.substr(0, end), line).deep_mark) put(*deep, kNeutral);
    line = end + 1;
  }
  return copy.empty() ? text : std::string_view(copy);
}

// A line of ``` or ~~~, after the prefix of its container.
struct Fence {
  std::size_t length = 0;  // 0: not a fence
  bool bare = false;       // nothing follows it
};

Fence read_fence(std::string_view text, std::size_t line, char mark) {
  Fence out;
  const std::size_t begin = read_prefix(text, line).end;
  std::size_t at = begin;
  while (at < text.size() && text[at] == mark) ++at;
  if (at - begin < 3) return out;
  out.length = at - begin;
  const std::string_view rest = text.substr(at, line_end(text, at) - at);
  out.bare = rest.find_first_not_of(" \t\r") == std::string_view::npos;
  return out;
}

// Writes the outline while md4c reads. md4c reports no positions, but most of the text it passes is
// a view into its input.
class MarkdownReader {
 public:
  MarkdownReader(std::string_view source, std::string_view given, Outline& out)
      : source_(source), given_(given), out_(out), events_left_(100'000 + 4 * given.size()) {}

  // False: the outline would be far larger than the text, as for a table with many columns and few
  // cells.
  bool read(unsigned flags) {
    MD_PARSER parser{};
    parser.flags = flags;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) noexcept {
      return static_cast<MarkdownReader*>(self)->enter(type, detail);
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) noexcept {
      return static_cast<MarkdownReader*>(self)->leave(type);
    };
    parser.enter_span = parser.leave_span = [](MD_SPANTYPE type, void*, void* self) noexcept {
      return static_cast<MarkdownReader*>(self)->span(type);
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) noexcept {
      return static_cast<MarkdownReader*>(self)->text(type, {text, size});
    };
    md_parse(given_.data(), static_cast<MD_SIZE>(given_.size()), &parser, this);
    return events_left_ > 0;
  }

 private:
  using Kind = Prose::Kind;

  bool enough() {
    if (events_left_ > 0) --events_left_;
    return events_left_ == 0;
  }

  int enter(MD_BLOCKTYPE type, void* detail) {
    writing_ = false;
    kind_ = Kind::paragraph;
    switch (type) {
      case MD_BLOCK_UL:
      case MD_BLOCK_OL: out_.lists = true; break;
      case MD_BLOCK_LI: items_.push_back(false); break;
      case MD_BLOCK_H:
        out_.headings = true;
        kind_ = Kind::heading;
        break;
      case MD_BLOCK_CODE: begin_code(*static_cast<const MD_BLOCK_CODE_DETAIL*>(detail)); break;
      case MD_BLOCK_HTML: kind_ = Kind::html; break;
      case MD_BLOCK_TABLE: out_.tables = true; break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD: kind_ = Kind::cell; break;
      case MD_BLOCK_DOC:
      case MD_BLOCK_QUOTE:
      case MD_BLOCK_HR:
      case MD_BLOCK_P:
      case MD_BLOCK_THEAD:
      case MD_BLOCK_TBODY:
      case MD_BLOCK_TR: break;
    }
    return enough() ? 1 : 0;
  }

  int leave(MD_BLOCKTYPE type) {
    if (type == MD_BLOCK_LI) items_.pop_back();
    if (type == MD_BLOCK_CODE) end_code();
    writing_ = in_code_ = false;
    kind_ = Kind::paragraph;
    return enough() ? 1 : 0;
  }

  int span(MD_SPANTYPE type) {
    if (type == MD_SPAN_CODE) prose().text += '`';
    return enough() ? 1 : 0;
  }

  int text(MD_TEXTTYPE type, std::string_view part) {
    if (enough()) return 1;
    // Line breaks and indentation that md4c adds are not part of its input.
    const std::less_equal<> before;
    const bool given = before(given_.data(), part.data()) && !part.empty() &&
                       before(part.data() + part.size(), given_.data() + given_.size());
    if (given) {
      place_ = static_cast<std::size_t>(part.data() - given_.data());
      part = source_.substr(place_, part.size());
    }
    if (in_code_) {
      add_code(part, given);
      return 0;
    }
    Prose& to = prose();
    if (given && !placed_) to.line = line_at(place_);
    placed_ = placed_ || given;
    const std::size_t begin = to.text.size();
    if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR)
      to.text += '\n';
    else
      append(to.text, part);
    std::replace(to.text.begin() + static_cast<std::ptrdiff_t>(begin), to.text.end(), '`', '\'');
    if (given) place_ += part.size();
    return 0;
  }

  static void append(std::string& to, std::string_view part) {
    for (std::size_t nul = part.find('\0'); nul != std::string_view::npos; nul = part.find('\0')) {
      to += part.substr(0, nul);
      to += "\uFFFD";
      part.remove_prefix(nul + 1);
    }
    to += part;
  }

  // The prose block that is being written.
  Prose& prose() {
    if (writing_) return out_.prose.back();
    writing_ = true;
    Prose& begun = out_.prose.emplace_back();
    begun.kind = kind_;
    if (kind_ == Kind::paragraph && !items_.empty() && !items_.back()) {
      begun.kind = Kind::item;
      items_.back() = true;
    }
    begun.line = line_at(place_);
    placed_ = false;
    return begun;
  }

  // ---- code

  void begin_code(const MD_BLOCK_CODE_DETAIL& detail) {
    in_code_ = true;
    CodeBlock& block = out_.code.emplace_back();
    block.fenced = detail.fence_char != 0;
    mark_ = detail.fence_char;
    if (detail.lang.text)
      block.language = lower_ascii(std::string_view(detail.lang.text, detail.lang.size));
    lines_ = lines_behind_ = 0;
    first_line_.reset();
  }

  void add_code(std::string_view part, bool given) {
    append(out_.code.back().text, part);
    if (given) {
      if (!first_line_) first_line_ = up(place_, lines_);
      place_ += part.size();
      lines_behind_ = 0;
    } else {
      const auto breaks = static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
      lines_ += breaks;
      lines_behind_ += breaks;
    }
  }

  void end_code() {
    CodeBlock& block = out_.code.back();
    if (!block.fenced) {
      if (first_line_) block.line = line_at(*first_line_);
      return;
    }
    std::size_t open = 0, behind = 0;  // the line of the fence, and the line after the code
    if (first_line_) {
      open = up(*first_line_, 1);
      behind = down(place_, lines_behind_);
    } else {  // empty, or only blank lines
      open = find_fence(place_);
      behind = down(open, lines_ + 1);
    }
    const Fence opening = read_fence(given_, open, mark_);
    block.line = line_at(open) + 1;
    if (behind >= given_.size()) {
      block.closed = out_.cut;  // unknown if the text was cut
      place_ = given_.size();
      return;
    }
    const Fence closing = read_fence(given_, behind, mark_);
    block.closed = closing.bare && closing.length >= opening.length && opening.length > 0;
    place_ = block.closed ? std::min(line_end(given_, behind) + 1, given_.size()) : behind;
  }

  // The line of the next fence.
  std::size_t find_fence(std::size_t from) const {
    std::size_t line = from == 0 || given_[from - 1] == '\n' ? from : line_end(given_, from) + 1;
    while (line < given_.size() && read_fence(given_, line, mark_).length == 0)
      line = line_end(given_, line) + 1;
    return std::min(line, given_.size());
  }

  // ---- positions

  // The beginning of the line at an offset, or `lines` lines above it.
  std::size_t up(std::size_t at, std::size_t lines) const {
    for (;; --lines) {
      while (at > 0 && given_[at - 1] != '\n') --at;
      if (lines == 0 || at == 0) return at;
      --at;
    }
  }

  // The beginning of the line that is `lines` lines below an offset; beyond the end if there is
  // none.
  std::size_t down(std::size_t at, std::size_t lines) const {
    for (; lines > 0 && at <= given_.size(); --lines) at = line_end(given_, at) + 1;
    return at;
  }

  // Offsets mostly ascend, so that each line is counted once.
  std::uint32_t line_at(std::size_t at) {
    at = std::min(at, given_.size());
    const auto breaks = [&](std::size_t from, std::size_t to) {
      const auto part = given_.substr(from, to - from);
      return static_cast<std::uint32_t>(std::count(part.begin(), part.end(), '\n'));
    };
    if (at < counted_) return line_ - breaks(at, counted_);
    line_ += breaks(counted_, at);
    counted_ = at;
    return line_;
  }

  std::string_view source_, given_;
  Outline& out_;
  std::size_t events_left_;
  std::size_t place_ = 0;    // after the last text that md4c passed
  std::size_t counted_ = 0;  // the offset that line_ belongs to
  std::uint32_t line_ = 1;

  Kind kind_ = Kind::paragraph;
  bool writing_ = false;     // more text belongs to the last prose
  bool placed_ = false;      // its line is known
  std::vector<bool> items_;  // of the open items: whether they have their own text

  bool in_code_ = false;
  char mark_ = 0;                             // the fence's character
  std::size_t lines_ = 0, lines_behind_ = 0;  // lines of code, and those since its last text
  std::optional<std::size_t> first_line_;     // where the first line of code begins
};

}  // namespace

bool Outline::has_fenced_code() const {
  return std::any_of(code.begin(), code.end(), [](const auto& block) { return block.fenced; });
}

Outline outline_of(std::string_view markdown) {
  Outline out;
  if (markdown.size() > kMostMarkdown) {
    const std::size_t end = markdown.rfind('\n', kMostMarkdown - 1);
    markdown = markdown.substr(0, end == std::string_view::npos ? kMostMarkdown : end + 1);
    out.cut = true;
  }
  std::string copy;
  const std::string_view given = harmless(markdown, copy);
  constexpr unsigned kFlags = MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS;
  if (MarkdownReader(markdown, given, out).read(kFlags | MD_FLAG_TABLES)) return out;
  Outline again;
  again.cut = out.cut;
  MarkdownReader(markdown, given, again).read(kFlags);
  return again;
}

}  // namespace vibe::base
