// Any bytes as a prompt and an answer: never a crash, the same outline and findings twice, line
// numbers inside the text, and evidence that is one short line.
//
// The prompt is the first line; the rest is the answer.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/markdown.h"
#include "fitness/heuristics.h"

namespace {

using namespace vibe;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_outline(std::string_view text) {
  const auto outline = base::outline_of(text);
  const auto breaks =
      std::count_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; });
  const auto lines = static_cast<std::uint32_t>(breaks) + 1;
  std::uint32_t last = 1;
  for (const auto& prose : outline.prose) {
    require(prose.line >= last && prose.line <= lines);
    last = prose.line;
  }
  for (const auto& block : outline.code) require(block.line >= 1 && block.line <= lines + 1);
  if (outline.headings) require(text.find_first_of("#=-") != std::string_view::npos);
  require(outline.has_fenced_code() == std::any_of(outline.code.begin(), outline.code.end(),
                                                   [](const auto& one) { return one.fenced; }));
}

fitness::Words some_words() {
  return {{{{"next step", "^hãy", "đề xuất"}, {"i can't"}, {"^todo:", "<your …>"}}},
          trace::ErrorPatterns({{"error:", true}})};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fitness::Words words = some_words();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view prompt = text.substr(0, text.find('\n'));
  const std::string_view answer = text.substr(std::min(text.size(), prompt.size() + 1));
  check_outline(answer);
  const auto found = fitness::look_at({answer, prompt}, words);
  const auto again = fitness::look_at({answer, prompt}, words);
  require(found.error_lines.size() <= found.error_line_count);
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    require(found.rows[i].holds == again.rows[i].holds);
    require(found.rows[i].evidence == again.rows[i].evidence);
    for (const auto& evidence : found.rows[i].evidence)
      require(evidence.find('\n') == std::string::npos && evidence.size() < 1000);
  }
  return 0;
}
