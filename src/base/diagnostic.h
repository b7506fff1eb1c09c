// Diagnostic: one thing found wrong, as data: what, where, what to do instead.
// Rendering is one function here; nothing else draws a caret. Every kind of
// diagnostic is a row in codes.h. Not thread-safe: one Diagnostics per task.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "base/codes.h"
#include "base/json.h"
#include "base/source.h"

namespace vibe::base {

struct Diagnostic {
  Code code;
  Severity severity;
  std::string message, hint;  // lower case, no full stop, names in backticks
  SourcePtr source;           // null: there is no text to point at
  Span span;
};

// Where to point: a span of a source, or nowhere.
struct Where {
  SourcePtr source;
  Span span;
};

Where at(const Passage& passage, Span in_text);

// What was found so far. Keeps the first kMost (an error rather than a warning) and counts
// the rest, so that no input, however broken, costs unbounded memory.
class Diagnostics {
 public:
  static constexpr std::size_t kMost = 1000;

  void add(Code code, Where where, std::string message, std::string hint = {});
  void append(const Diagnostics& more);
  void make_warnings_errors();
  void remove_notes();
  void sort();  // by source (in order of first appearance), then position

  bool failed() const { return errors_ > 0; }
  std::size_t errors() const { return errors_; }
  std::size_t dropped() const { return dropped_; }
  const std::vector<Diagnostic>& all() const { return all_; }
  bool empty() const { return all_.empty(); }
  bool has(Code code) const;

 private:
  void keep(Diagnostic diagnostic);

  std::vector<Diagnostic> all_;
  std::size_t errors_ = 0, dropped_ = 0, dropped_warnings_ = 0;
  std::size_t lesser_ = 0;  // kept, and not an error
};

// A value, or at least one error.
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Diagnostics> {
  using tl::expected<T, Diagnostics>::expected;
};

// An error result with one diagnostic.
tl::unexpected<Diagnostics> fail(Code code, Where where, std::string message,
                                 std::string hint = {});

struct RenderStyle {
  bool color = false;
  std::size_t width = 100;  // columns for the source line; longer ones are clipped around the caret
};

std::string render(const Diagnostic& diagnostic, const RenderStyle& style = {});
std::string render(const Diagnostics& diagnostics, const RenderStyle& style = {});

// `{file?, severity, code, message, hint, line, column, end_line, end_column}`
void write_json(JsonWriter& json, const Diagnostic& diagnostic);

}  // namespace vibe::base
