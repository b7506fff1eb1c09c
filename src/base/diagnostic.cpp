#include "base/diagnostic.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::base {
namespace {

constexpr std::size_t kTabColumns = 4, kLeastWidth = 20;
constexpr std::string_view kEllipsis = "…", kReplacementText = "\uFFFD", kTab = "    ";
static_assert(kTab.size() == kTabColumns);

constexpr std::string_view kBold = "1", kDim = "2", kGreen = "32";

std::string_view color_of(Severity severity) {
  switch (severity) {
    case Severity::error: return "1;31";
    case Severity::warning: return "1;33";
    case Severity::note: return "1;36";
  }
  std::abort();
}

std::string painted(std::string_view text, std::string_view color, const RenderStyle& style) {
  if (!style.color) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", color, text);
}

// One code point of a source line as the terminal shows it.
struct Cell {
  std::string_view shown;
  std::size_t begin;  // byte offset in the line
  std::size_t width;
};

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The part of a line around an offset. Its length depends only on `most`, so that a line of many
// megabytes costs no more than a short one.
struct Window {
  std::vector<Cell> cells;
  bool cut_before, cut_after;  // the line continues beyond this
};

Window look_around(std::string_view line, std::size_t place, std::size_t most) {
  std::size_t begin = place - std::min(place, most);
  while (begin > 0 && begin < line.size() && place - begin < most + 3 && continues(line[begin]))
    --begin;
  std::size_t end = std::min(line.size(), place + most);
  while (end < line.size() && end < place + most + 3 && continues(line[end])) ++end;
  Window window{{}, begin > 0, end < line.size()};
  Columns columns;
  for (std::size_t at = begin; at < end;) {
    const CodePoint next = decode(line, at);
    std::string_view shown = line.substr(at, next.length);
    std::size_t width = columns.next(next.value);
    if (next.value == '\t') {
      shown = kTab;
      width = kTabColumns;
    } else if (!next.valid || !is_printable(next.value)) {
      shown = kReplacementText;
      width = 1;
    }
    window.cells.push_back({shown, at, width});
    at += next.length;
  }
  return window;
}

struct Excerpt {
  std::string line, carets;
};

// The line, clipped around the marked part if it is wider than `width`.
Excerpt draw(std::string_view line, std::size_t mark_begin, std::size_t mark_end,
             std::size_t width) {
  width = std::max(width, kLeastWidth);
  const Window window = look_around(line, mark_begin, 4 * width);
  const auto& cells = window.cells;

  // columns[i]: before cell i, from the window's left edge
  std::vector<std::size_t> columns{0};
  for (const Cell& cell : cells) columns.push_back(columns.back() + cell.width);
  const auto cell_at = [&](std::size_t offset) {
    return static_cast<std::size_t>(
        std::partition_point(cells.begin(), cells.end(),
                             [&](const Cell& cell) { return cell.begin < offset; }) -
        cells.begin());
  };
  const std::size_t mark_first = cell_at(mark_begin),
                    mark_last = std::max(mark_first, cell_at(mark_end));

  std::size_t first = 0, last = cells.size();
  const bool fits = !window.cut_before && !window.cut_after && columns.back() <= width;
  if (!fits) {
    const std::size_t mark_width =
        std::max<std::size_t>(1, columns[mark_last] - columns[mark_first]);
    const bool from_start = !window.cut_before && columns[mark_first] + mark_width + 1 <= width;
    if (!from_start) {
      // Half of the room is for the text before, or more if the text after needs less.
      const std::size_t after = columns.back() - columns[mark_first];
      const std::size_t before =
          std::max(width / 2, after + 3 < width && !window.cut_after ? width - 3 - after : 0);
      while (columns[mark_first] - columns[first] > before) ++first;
      while (first < mark_first && cells[first].width == 0) ++first;
    }
    const bool cut_left = first > 0 || window.cut_before;
    const std::size_t room = width - (cut_left ? 1 : 0);
    last = first;
    while (last < cells.size() && columns[last + 1] - columns[first] <= room) ++last;
    if (last < cells.size() || window.cut_after)
      while (last > mark_first && columns[last] - columns[first] + 1 > room) --last;
  }

  Excerpt excerpt;
  std::size_t indent = columns[mark_first] - columns[first];
  if (first > 0 || window.cut_before) {
    excerpt.line += kEllipsis;
    ++indent;
  }
  for (std::size_t i = first; i < last; ++i) excerpt.line += cells[i].shown;
  if (last < cells.size() || window.cut_after) excerpt.line += kEllipsis;
  excerpt.line.erase(excerpt.line.find_last_not_of(' ') + 1);

  const std::size_t shown_end = std::clamp(mark_last, mark_first, std::max(mark_first, last));
  const std::size_t carets = std::max<std::size_t>(1, columns[shown_end] - columns[mark_first]);
  excerpt.carets = std::string(indent, ' ');
  excerpt.carets.append(carets, '^');
  return excerpt;
}

Excerpt draw(const Source& source, Span span, std::size_t width) {
  const auto size = static_cast<std::uint32_t>(source.text().size());
  const std::uint32_t begin = std::min(span.begin, size), end = std::clamp(span.end, begin, size);
  const std::uint32_t line_begin = source.line_begin(begin);
  const std::string_view line = source.line_at(begin);
  return draw(line, std::min<std::size_t>(begin - line_begin, line.size()),
              std::min<std::size_t>(end - line_begin, line.size()), width);
}

}  // namespace

std::string to_string(Code code) {
  constexpr std::string_view kLetters = "NWE";
  return fmt::format("{}{:04}", kLetters[static_cast<std::size_t>(severity_of(code))],
                     static_cast<unsigned>(code));
}

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  std::abort();
}

Where at(const Passage& passage, Span in_text) { return {passage.source, passage.locate(in_text)}; }

void Diagnostics::keep(Diagnostic diagnostic) {
  if (all_.size() < kMost) {
    if (diagnostic.severity != Severity::error) ++lesser_;
    all_.push_back(std::move(diagnostic));
    return;
  }
  ++dropped_;
  if (diagnostic.severity == Severity::error && lesser_ > 0) {
    --lesser_;
    const auto lesser = std::find_if(all_.rbegin(), all_.rend(), [](const Diagnostic& kept) {
      return kept.severity != Severity::error;
    });
    std::swap(*lesser, diagnostic);
  }
  if (diagnostic.severity == Severity::warning) ++dropped_warnings_;
}

void Diagnostics::add(Code code, Where where, std::string message, std::string hint) {
  const Severity severity = severity_of(code);
  if (severity == Severity::error) ++errors_;
  keep({code, severity, std::move(message), std::move(hint), std::move(where.source), where.span});
}

void Diagnostics::append(const Diagnostics& more) {
  errors_ += more.errors_;
  dropped_ += more.dropped_;
  dropped_warnings_ += more.dropped_warnings_;
  for (const Diagnostic& diagnostic : more.all_) keep(diagnostic);
}

bool Diagnostics::has(Code code) const {
  return std::any_of(all_.begin(), all_.end(), [&](const auto& one) { return one.code == code; });
}

void Diagnostics::make_warnings_errors() {
  for (Diagnostic& diagnostic : all_) {
    if (diagnostic.severity != Severity::warning) continue;
    diagnostic.severity = Severity::error;
    ++errors_;
    --lesser_;
  }
  errors_ += std::exchange(dropped_warnings_, 0);
}

void Diagnostics::remove_notes() {
  lesser_ -= std::erase_if(all_, [](const Diagnostic& d) { return d.severity == Severity::note; });
}

void Diagnostics::sort() {
  std::unordered_map<const Source*, std::size_t> order;
  for (const Diagnostic& diagnostic : all_) order.emplace(diagnostic.source.get(), order.size());
  std::vector<std::tuple<std::size_t, std::uint32_t, std::size_t>>
      places;  // the index keeps the sort stable
  for (const Diagnostic& diagnostic : all_)
    places.emplace_back(order.at(diagnostic.source.get()), diagnostic.span.begin, places.size());
  std::sort(places.begin(), places.end());
  std::vector<Diagnostic> sorted;
  sorted.reserve(all_.size());
  for (const auto& [source, begin, index] : places) sorted.push_back(std::move(all_[index]));
  all_ = std::move(sorted);
}

tl::unexpected<Diagnostics> fail(Code code, Where where, std::string message, std::string hint) {
  Diagnostics diagnostics;
  diagnostics.add(code, std::move(where), std::move(message), std::move(hint));
  return tl::unexpected<Diagnostics>(std::move(diagnostics));
}

std::string render(const Diagnostic& diagnostic, const RenderStyle& style) {
  std::string place = "vibe:";
  if (diagnostic.source) {
    const Position position = diagnostic.source->position(diagnostic.span.begin);
    place = fmt::format("{}:{}:{}:", printable(diagnostic.source->name()), position.line,
                        position.column);
  }
  const std::string severity = fmt::format("{}:", to_string(diagnostic.severity));
  std::string out = fmt::format("{} {} {} [{}]\n", painted(place, kBold, style),
                                painted(severity, color_of(diagnostic.severity), style),
                                printable(diagnostic.message), to_string(diagnostic.code));
  if (diagnostic.source && !diagnostic.source->text().empty()) {
    const Excerpt excerpt = draw(*diagnostic.source, diagnostic.span, style.width);
    const std::size_t indent = excerpt.carets.find('^');
    out += fmt::format("{}{}\n", excerpt.line.empty() ? "" : "  ", excerpt.line);
    out += fmt::format("  {}{}\n", std::string(indent, ' '),
                       painted(std::string_view(excerpt.carets).substr(indent), kGreen, style));
  }
  if (!diagnostic.hint.empty())
    out += fmt::format("  {} {}\n", painted("hint:", kDim, style), printable(diagnostic.hint));
  return out;
}

std::string render(const Diagnostics& diagnostics, const RenderStyle& style) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics.all()) out += render(diagnostic, style);
  if (diagnostics.dropped() > 0)
    out += fmt::format("… and {} more problem{}\n", diagnostics.dropped(),
                       diagnostics.dropped() == 1 ? "" : "s");
  return out;
}

void write_json(JsonWriter& json, const Diagnostic& diagnostic) {
  json.begin_object();
  if (diagnostic.source) json.key("file").string(diagnostic.source->name());
  json.key("severity").string(to_string(diagnostic.severity));
  json.key("code").string(to_string(diagnostic.code));
  json.key("message").string(diagnostic.message);
  json.key("hint");
  diagnostic.hint.empty() ? json.null() : json.string(diagnostic.hint);
  const auto place = [&](std::string_view key, std::uint32_t Position::* part,
                         std::uint32_t offset) {
    json.key(key);
    diagnostic.source ? json.integer(diagnostic.source->position(offset).*part) : json.null();
  };
  place("line", &Position::line, diagnostic.span.begin);
  place("column", &Position::column, diagnostic.span.begin);
  place("end_line", &Position::line, diagnostic.span.end);
  place("end_column", &Position::column, diagnostic.span.end);
  json.end_object();
}

}  // namespace vibe::base
