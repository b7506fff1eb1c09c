#include "check/response_json.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "base/source.h"
#include "base/text.h"

namespace vibe::check {

namespace {

struct Block {
  std::size_t begin = 0, end = 0;  // its content, in bytes
};

// The fence, if the line is one; else empty.
std::string_view fence_of(std::string_view line) {
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
  if (!line.starts_with("```") && !line.starts_with("~~~")) return {};
  return line.substr(0, line.find_first_not_of(line[0]));
}

bool closes(std::string_view line, std::string_view opening) {
  const std::string_view fence = fence_of(line);
  return fence.size() >= opening.size() && fence[0] == opening[0] &&
         base::trim(line).size() == fence.size();
}

// Fenced blocks like in Markdown: an unclosed one extends to the end.
std::vector<Block> fenced_blocks(std::string_view text) {
  std::vector<Block> out;
  std::string_view opening;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.size(), text.find('\n', at));
    const std::string_view line = text.substr(at, end - at);
    if (opening.empty()) {
      opening = fence_of(line);
      // Text in backticks on one line is not a block.
      if (opening.starts_with('`') &&
          line.find('`', line.find(opening) + opening.size()) != std::string_view::npos)
        opening = {};
      if (!opening.empty()) out.push_back({std::min(text.size(), end + 1), text.size()});
    } else if (closes(line, opening)) {
      out.back().end = at;
      opening = {};
    }
    at = end + 1;
  }
  return out;
}

std::string not_json(const base::JsonFault& fault, std::string_view response) {
  const base::Source source("", std::string(response));
  const auto place = source.position(static_cast<std::uint32_t>(fault.offset));
  return fmt::format("not JSON: {} at line {}, column {}", fault.message, place.line, place.column);
}

}  // namespace

tl::expected<base::JsonDocument, std::string> json_of_response(std::string_view response) {
  if (base::trim(response).empty())
    return tl::unexpected(std::string("not JSON: the response is empty"));
  auto whole = base::read_json_document(response);
  if (whole) return *std::move(whole);
  const auto blocks = fenced_blocks(response);
  if (blocks.size() > 1)
    return tl::unexpected(fmt::format(
        "not JSON: the response has {} fenced blocks, expected only one", blocks.size()));
  if (blocks.empty()) {
    const char first = base::trim(response)[0];
    return tl::unexpected(not_json(whole.error(), response) +
                          (first == '{' || first == '[' ? "" : ", and there is no fenced block"));
  }
  const Block& block = blocks.front();
  auto inside = base::read_json_document(response.substr(block.begin, block.end - block.begin));
  if (inside) return *std::move(inside);
  inside.error().offset += block.begin;
  return tl::unexpected(not_json(inside.error(), response));
}

}  // namespace vibe::check
