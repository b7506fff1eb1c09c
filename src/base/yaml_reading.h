// YamlReading: what is at hand wherever a YAML file is read: the document, what was found wrong so
// far, and how much more time and room may be spent on it. Belongs to one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/diagnostic.h"
#include "base/yaml.h"

namespace vibe::base {

class YamlReading {
 public:
  // Of texts looked at or kept, with every alias written out. Without aliases a file cannot
  // come near it.
  static constexpr std::size_t kMaxTextBytes = 64u << 20;

  explicit YamlReading(const YamlDocument& document) : document_(document) {}

  const YamlDocument& document() const { return document_; }

  // Looks at the `{{…}}` of a text; true if any of it is replaced when a run starts.
  std::function<bool(const YamlNode&)> on_text;

  // A problem that an alias brings up again is reported once.
  void add(Code code, Span span, std::string message, std::string hint = {});
  void add(Code code, Where where, std::string message, std::string hint = {});
  void add(Code code, const YamlNode& node, std::string message, std::string hint = {}) {
    add(code, node.span, std::move(message), std::move(hint));
  }

  // The scalar's text, after its templates were looked at.
  std::string text(const YamlNode& scalar);
  // The scalar's text, whatever it holds.
  std::string copy(const YamlNode& scalar);
  // Takes the room for a copy; false, and an error, once the aliases of the file ask for too much.
  bool take_room(std::size_t bytes, Span span);

  // Finding the nearest names costs time: true for the first few problems only.
  bool may_suggest();

  // Apart, so that no number of warnings and notes crowds out an error.
  const Diagnostics& errors() const { return errors_; }
  const Diagnostics& remarks() const { return remarks_; }

 private:
  const YamlDocument& document_;
  Diagnostics errors_, remarks_;
  std::unordered_set<std::size_t> reported_;
  std::size_t text_bytes_ = 0, suggestions_ = 0;
  bool out_of_room_ = false;
};

std::string quoted(std::string_view text);  // in backticks, shortened, in one line

}  // namespace vibe::base
