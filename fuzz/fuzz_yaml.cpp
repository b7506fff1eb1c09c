// Any bytes as YAML: never a crash, every node and every character of a scalar has a position in
// the text, and every diagnostic can be rendered at any width.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/yaml.h"

namespace {

using namespace vibe::base;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_scalar(const YamlDocument& document, const YamlNode& node) {
  const Passage passage = document.passage(node);
  require(passage.offsets.size() == node.text.size() + 1);
  std::uint32_t last = node.span.begin;
  for (const std::uint32_t offset : passage.offsets) {
    require(offset >= last && offset <= document.source()->text().size());
    last = offset;
  }
  static_cast<void>(node.as_bool());
  static_cast<void>(node.as_integer());
  static_cast<void>(node.as_number());
  static_cast<void>(node.describe());
}

void walk(const YamlDocument& document) {
  std::size_t budget = 20'000;
  std::vector<const YamlNode*> open{&document.root()};
  while (!open.empty() && budget-- > 0) {
    const YamlNode& node = *open.back();
    open.pop_back();
    require(node.span.begin <= node.span.end && node.span.end <= document.source()->text().size());
    if (node.kind == YamlNode::Kind::scalar) check_scalar(document, node);
    for (const YamlNode* item : node.items) open.push_back(item);
    for (const YamlEntry& entry : node.entries) {
      require(entry.key->kind == YamlNode::Kind::scalar);
      open.push_back(entry.key);
      open.push_back(entry.value);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto source =
      make_source("fuzz.yaml", std::string(reinterpret_cast<const char*>(data), size));
  const auto document = parse_yaml(source);
  if (document) {
    walk(*document);
    return 0;
  }
  require(document.error().failed());
  std::size_t drawn = 0;
  for (const Diagnostic& diagnostic : document.error().all()) {
    require(diagnostic.span.end <= size);
    if (++drawn > 20) break;
    for (std::size_t width = 20; width <= 120; width += 10)
      require(render(diagnostic, {.color = false, .width = width}).find('\x1b') ==
              std::string::npos);
  }
  return 0;
}
