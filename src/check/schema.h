// Schema: a JSON Schema (draft 2020-12), compiled once, and the first place where a value does not
// fit it. References stay within the document. Immutable and cheap to copy; safe from any thread.
//
// Hostile schemas and values cost bounded time and stack: how many subschemas there are, how often
// they are applied and how deep they nest is limited; a value that cannot be judged within
// the limits is undecided, not a mismatch.
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

// Something wrong with a schema.
struct SchemaProblem {
  base::Code code{};
  std::string pointer = {};  // to the offending value in the schema (RFC 6901)
  bool at_key = false;       // the key before that value is what is wrong
  std::string message = {}, hint = {};
  bool of_text = false;  // another string in this place might do
};

// Why a value does not fit.
struct Mismatch {
  std::string path;        // JSON pointer to the offending value; empty: all of it
  std::string message;     // `12 is more than the maximum 10`
  bool undecided = false;  // a limit was met: nobody knows whether it fits

  std::string text() const;  // `/items/2/price: 12 is more than the maximum 10`
};

struct CompiledSchema;

class Schema {
 public:
  static constexpr std::size_t kMostNodes = 100'000;     // subschemas of one schema
  static constexpr std::size_t kMostSteps = 10'000'000;  // subschemas applied to one value
  static constexpr std::size_t kMostDepth = 500;         // of subschemas applied within another
  static constexpr std::size_t kMostProblems = 100;

  enum class Formats : std::uint8_t {
    asserted,  // a string that is not of its `format` does not fit; an unknown format is a problem
    noted,     // `format` says nothing about whether a value fits, as the standard has it
  };
  struct Options {
    Formats formats = Formats::asserted;
    RegexMemory* regexes = nullptr;  // counts how much work the expressions are
  };

  static tl::expected<Schema, std::vector<SchemaProblem>> compile(const base::JsonValue& schema,
                                                                  const Options& options);

  // None: it fits. What the mismatch quotes of the value and the schema is masked.
  std::optional<Mismatch> mismatch(const base::JsonValue& value, const Mask& mask = {}) const;

 private:
  explicit Schema(std::shared_ptr<const CompiledSchema> compiled)
      : compiled_(std::move(compiled)) {}

  std::shared_ptr<const CompiledSchema> compiled_;
};

}  // namespace vibe::check
