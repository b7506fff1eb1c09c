#include "run/filled_size.h"

#include <limits>

namespace vibe::run {

using suite::Placeholder;

namespace {

// `\E` becomes `\E\\E\Q` if it would end a quotation.
std::uint64_t quoted_size(std::string_view value) {
  constexpr std::string_view kEnd = "\\E", kQuotedEnd = "\\E\\\\E\\Q";
  std::uint64_t out = value.size();
  for (auto at = value.find(kEnd); at != value.npos; at = value.find(kEnd, at + kEnd.size()))
    out += kQuotedEnd.size() - kEnd.size();
  return out;
}

}  // namespace

std::uint64_t add_sizes(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::numeric_limits<std::uint64_t>::max() : out;
}

std::uint64_t multiply_sizes(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<std::uint64_t>::max() : out;
}

void FilledSize::add(std::string_view text) {
  fixed_ = add_sizes(fixed_, text.size());
  if (text.find("{{") == std::string_view::npos) return;
  for (const auto& placeholder : suite::scan_template(text).placeholders) {
    const auto [begin, end] = placeholder.span;
    const bool is_quoted =
        text.substr(0, begin).ends_with("\\Q") && text.substr(end).starts_with("\\E");
    if (placeholder.kind == Placeholder::Kind::column) {
      Uses& uses = columns_[std::string(placeholder.name)];
      ++(is_quoted ? uses.quoted : uses.plain);
      uses.unfilled += end - begin;
    } else {
      const std::string* value = filler_.find(placeholder);
      if (!value) continue;
      fixed_ = add_sizes(fixed_, is_quoted ? quoted_size(*value) : value->size());
    }
    fixed_ -= end - begin;  // the text's own size includes the template
  }
}

std::uint64_t FilledSize::of(CaseRow row) const {
  std::uint64_t out = fixed_;
  for (const auto& [name, uses] : columns_) {
    const auto column = row.table ? row.table->find(name) : std::nullopt;
    if (!column) {
      out = add_sizes(out, uses.unfilled);
      continue;
    }
    const std::string_view cell = row.table->cell(row.row, *column);
    out = add_sizes(out, multiply_sizes(uses.plain, cell.size()));
    if (uses.quoted > 0) out = add_sizes(out, multiply_sizes(uses.quoted, quoted_size(cell)));
  }
  return out;
}

}  // namespace vibe::run
