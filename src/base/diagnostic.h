// Diagnostic: one problem as data: what, where, what to do instead. One function here renders it;
// nothing else draws a caret. Every kind of diagnostic is a row in codes.h. Not thread-safe: one
// Diagnostics per task.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
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

// The problems found so far. Keeps the first kMost (errors rather than warnings) and counts the
// rest, so that broken input never costs unbounded memory.
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
  std::size_t lesser_ = 0;  // kept, but not errors
};

// A value, or at least one error.
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Diagnostics> {
  using tl::expected<T, Diagnostics>::expected;
};

// An error result with one diagnostic.
tl::unexpected<Diagnostics> fail(Code code, Where where, std::string message,
                                 std::string hint = {});

// Whether it failed; its errors go to `out`. For functions that collect every problem.
template <class T>
[[nodiscard]] bool failed(const Result<T>& result, Diagnostics& out) {
  if (!result) out.append(result.error());
  return !result;
}

// VIBE_TRY(const auto run, runs.find(id));  declares `run`, or returns the error
// VIBE_TRY(file.write(text));               for a call that returns no value
// A comma outside parentheses ends the declaration: write `auto`, not `std::map<A, B>`.
// For functions that return a Result, or a tl::expected with the same kind of error.
// NOLINTBEGIN(bugprone-macro-parentheses): the names of variables cannot have them
#define VIBE_TRY(first, ...) \
  VIBE_TRY_##__VA_OPT__(VALUE)(VIBE_TRY_NAME(__LINE__), first __VA_OPT__(, ) __VA_ARGS__)
#define VIBE_TRY_(tried, call) \
  auto tried = call;           \
  if (!tried) return tl::unexpected(std::move(tried).error())
#define VIBE_TRY_VALUE(tried, declared, ...) \
  VIBE_TRY_(tried, (__VA_ARGS__));           \
  declared = *std::move(tried)
#define VIBE_TRY_NAME(line) VIBE_TRY_JOIN(tried_at_, line)
#define VIBE_TRY_JOIN(name, line) name##line
// NOLINTEND(bugprone-macro-parentheses)

struct RenderStyle {
  bool color = false;
  std::size_t width = 100;  // columns for the source line; longer ones are clipped around the caret
};

std::string render(const Diagnostic& diagnostic, const RenderStyle& style = {});
std::string render(const Diagnostics& diagnostics, const RenderStyle& style = {});

// `{file?, severity, code, message, hint, line, column, end_line, end_column}`
void write_json(JsonWriter& json, const Diagnostic& diagnostic);

}  // namespace vibe::base
