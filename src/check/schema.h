// Schema: a JSON Schema (draft 2020-12), compiled once; finds the first place where a value does
// not fit. References stay within the document. Immutable and cheap to copy; safe from any thread.
//
// Hostile schemas and values cost bounded time and stack: the number of subschemas, how often they
// are applied and how deep they nest are limited. A value that cannot be judged within the limits
// is undecided, not a mismatch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "base/codes.h"
#include "base/json_value.h"
#include "check/mask.h"
#include "check/pattern.h"

namespace vibe::check {

// A problem in a schema.
struct SchemaProblem {
  base::Code code{};
  std::string pointer = {};  // the offending value in the schema (RFC 6901)
  bool at_key = false;       // the key of that value is the problem
  std::string message = {}, hint = {};
  bool of_text = false;  // another string here might be valid
};

// Why a value does not fit.
struct Mismatch {
  std::string path;        // JSON pointer to the offending value; empty: the whole value
  std::string message;     // `12 is more than the maximum 10`
  bool undecided = false;  // a limit was reached: it is unknown whether the value fits

  std::string text() const;  // `/items/2/price: 12 is more than the maximum 10`
};

struct CompiledSchema;

class Schema {
 public:
  static constexpr std::size_t kMostNodes = 100'000;     // subschemas per schema
  static constexpr std::size_t kMostSteps = 10'000'000;  // subschemas applied to one value
  static constexpr std::size_t kMostDepth = 500;         // nesting of applied subschemas
  static constexpr std::size_t kMostProblems = 100;

  enum class Formats : std::uint8_t {
    asserted,  // a string that violates its `format` does not fit; an unknown format is a problem
    noted,     // `format` does not affect whether a value fits, like in the standard
  };
  struct Options {
    Formats formats = Formats::asserted;
    RegexMemory* regexes = nullptr;  // counts the work for regular expressions
  };

  static tl::expected<Schema, std::vector<SchemaProblem>> compile(const base::JsonValue& schema,
                                                                  const Options& options);

  // None: it fits. Quotations of the value and the schema in the mismatch are masked.
  std::optional<Mismatch> mismatch(const base::JsonValue& value, const Mask& mask = {}) const;

 private:
  explicit Schema(std::shared_ptr<const CompiledSchema> compiled)
      : compiled_(std::move(compiled)) {}

  std::shared_ptr<const CompiledSchema> compiled_;
};

}  // namespace vibe::check
