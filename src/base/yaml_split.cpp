#include <algorithm>

#include "base/text.h"
#include "base/yaml.h"

namespace vibe::base {

namespace {

// `---` or `...` at the start of a line, which separates documents anywhere.
bool is_marker(std::string_view line, std::string_view marker) {
  return line.starts_with(marker) &&
         (line.size() == marker.size() ||
          std::string_view(" \t\r\n").find(line[marker.size()]) != std::string_view::npos);
}

}  // namespace

std::vector<YamlPart> split_yaml(std::string_view text) {
  std::vector<YamlPart> out;
  std::size_t begin = 0;
  std::uint32_t line_number = 1, first_line = 1;
  bool has_start = false, has_content = false;  // in the document that begins there
  const auto end_document = [&](std::size_t end) {
    if (has_content) out.push_back({text.substr(begin, end - begin), first_line});
    begin = end;
    first_line = line_number;
    has_start = has_content = false;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, next - at);
    const bool starts = is_marker(line, "---"), ends = is_marker(line, "...");
    // Comments and directives before a document belong to it.
    if (starts && (has_start || has_content)) end_document(at);
    has_start = has_start || starts;
    const std::string_view content = trim(starts ? line.substr(3) : line);
    if (!ends && !content.empty() && content[0] != '#' && (has_start || content[0] != '%'))
      has_content = true;
    at = next;
    ++line_number;
    if (ends) end_document(at);
  }
  end_document(text.size());
  return out;
}

}  // namespace vibe::base
