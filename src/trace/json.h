// JsonParser: reads JSON values for the log readers, as base::JsonDom does, but forgives more. A
// value is a view, valid until the next parse.
//
// Logs contain things that JSON does not allow: halves of surrogate pairs, `NaN`, bytes that are
// not UTF-8, control characters. The parser repairs these; other broken text has no value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/json_dom.h"

namespace vibe::trace {

using Json = base::JsonView;

class JsonParser {
 public:
  static constexpr std::size_t kPadding = base::JsonDom::kPadding;
  static constexpr std::size_t kMostDepth = base::JsonDom::kMostDepth;

  // Absent if the text is not one JSON value. `padded`: kPadding bytes after it are readable.
  Json parse(std::string_view text, bool padded = false);
  bool was_utf8() const { return was_utf8_; }  // false: invalid bytes were replaced

 private:
  base::JsonDom dom_;
  std::string repaired_;
  bool was_utf8_ = true;
};

// The text with everything repaired that can be; other damage stays.
std::string repair_json(std::string_view text);

}  // namespace vibe::trace
