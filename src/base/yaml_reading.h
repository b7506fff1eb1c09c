// YamlReading: the state that is shared while a YAML file is read: the document, the problems found
// so far, and how much more time and memory may be spent. Belongs to one thread.
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
  // Limit for texts that are checked or copied, with every alias expanded. A file without aliases
  // cannot come near it.
  static constexpr std::size_t kMaxTextBytes = 64u << 20;

  explicit YamlReading(const YamlDocument& document) : document_(document) {}

  const YamlDocument& document() const { return document_; }

  // Checks the `{{…}}` in a text; true if any of it will be replaced when a run starts.
  std::function<bool(const YamlNode&)> on_text;

  // A problem that is repeated by an alias is reported once.
  void add(Code code, Span span, std::string message, std::string hint = {});
  void add(Code code, Where where, std::string message, std::string hint = {});
  void add(Code code, const YamlNode& node, std::string message, std::string hint = {}) {
    add(code, node.span, std::move(message), std::move(hint));
  }

  // The scalar's text; checks its templates.
  std::string text(const YamlNode& scalar);
  // The scalar's text; checks nothing.
  std::string copy(const YamlNode& scalar);
  // Reserves memory for a copy; false, with an error, once the file's aliases need too much.
  bool take_room(std::size_t bytes, Span span);

  // Searching for the nearest names takes time: true only for the first few problems.
  bool may_suggest();

  // Kept separate, so that warnings and notes never crowd out an error.
  const Diagnostics& errors() const { return errors_; }
  const Diagnostics& remarks() const { return remarks_; }

 private:
  const YamlDocument& document_;
  Diagnostics errors_, remarks_;
  std::unordered_set<std::size_t> reported_;
  std::size_t text_bytes_ = 0, suggestions_ = 0;
  bool out_of_room_ = false;
};

std::string quoted(std::string_view text);  // in backticks, shortened, on one line

}  // namespace vibe::base
