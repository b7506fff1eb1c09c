// Body: the JSON object of a request, read by a table of its keys (base/fields.h), so that
// everything wrong with it is reported at once: wrong types, numbers outside their range, missing
// keys, unknown and misspelt ones. Null counts as not given. Clients may send more than the server
// reads: at the top, a key matters only if it looks like a misspelling of one that is not given; an
// object inside may have no other keys than its rows. Does not own the JSON. Read-only, so safe
// from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/fields.h"
#include "base/json_value.h"

namespace vibe::server {

class Body {
 public:
  Body(const base::Section& section, const base::JsonValue& object);

  // Everything that the rows find wrong, also in nested objects: Code::bad_usage.
  void report(base::Diagnostics& out) const;

  // Values are what their rows ask for if report() found nothing.
  const base::JsonValue* find(std::string_view key) const;  // null: not given
  bool has(std::string_view key) const;                     // given, perhaps misspelt
  bool fits(std::string_view key) const;                    // given, and as its row asks
  std::optional<std::string> text(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::optional<std::int64_t> integer(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  Body section(std::string_view key) const;  // a nested object; without keys if not given

  // For values that rows alone cannot judge: "`options.only` must be a list of strings".
  void refuse(std::string_view key, base::Diagnostics& out) const;
  // "`options.only` {why}"
  void refuse(std::string_view key, std::string_view why, base::Diagnostics& out) const;

 private:
  struct Unknown {
    std::string_view key;
    std::vector<std::string_view> near;  // keys that may be meant
  };

  Body(const base::Section& section, const base::JsonValue::Object* members, std::string path);
  bool is_open() const { return path_.empty(); }  // other keys may be there
  std::size_t slot(std::string_view key) const;   // of a row; the number of rows: there is none
  void note_unknown(std::string_view key, const base::JsonValue& value);
  void report_value(const base::Field& field, base::Diagnostics& out) const;
  void report_unknown(const Unknown& unknown, base::Diagnostics& out) const;

  const base::Section& section_;
  std::string path_;  // `options.`; empty: the body itself
  std::array<const base::JsonValue*, base::kMaxFields> values_{};
  std::vector<Unknown> unknown_;
};

// What a row takes, in the words of JSON: "a string", "an object".
std::string takes_json(const base::Field& field);

}  // namespace vibe::server
