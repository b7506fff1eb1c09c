// Judging: one response while its checks are judged, with derived data that several checks share,
// computed when first needed. Belongs to one thread; the response must outlive it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "check/check.h"
#include "check/evidence.h"
#include "check/glob.h"
#include "check/judge.h"
#include "check/mask.h"
#include "check/pattern.h"
#include "check/response_json.h"
#include "check/schema.h"

namespace vibe::check {

// Compiled expressions, kept from one response to the next.
class Regexes {
 public:
  using Compiled = tl::expected<Regex, RegexProblem>;
  static constexpr std::size_t kMost = 256;  // when full, it is cleared

  // Valid until the next call.
  const Compiled& find(const std::string& pattern, Regex::Mode mode);

 private:
  std::unordered_map<std::string, Compiled> known_[2];  // by mode
};

// Compiled schemas, kept likewise. For an unusable schema it keeps the reason.
class Schemas {
 public:
  using Compiled = tl::expected<Schema, std::string>;
  static constexpr std::size_t kMost = 256;

  // Finds a schema by its JSON text. Valid until the next call.
  const Compiled& find(const std::string& text);

 private:
  std::unordered_map<std::string, Compiled> known_;
};

class Judging {
 public:
  Judging(const Response& response, const Evidences& evidences, Regexes& regexes, Schemas& schemas,
          const Mask& mask)
      : response_(response),
        evidences_(evidences),
        regexes_(regexes),
        schemas_(schemas),
        mask_(mask) {}

  const Response& response() const { return response_; }
  const FoldedText& folded();
  std::string_view valid_text();  // U+FFFD for bytes that are not UTF-8
  std::size_t tokens();
  const tl::expected<base::JsonDocument, std::string>& json();  // or why it is not JSON
  // What may be shown of a foreign text; the second is also shortened, on one line.
  std::string masked(std::string_view text) const { return check::masked(text, mask_); }
  std::string in_quotes(std::string_view text) const;
  const Mask& mask() const { return mask_; }
  Regexes& regexes() { return regexes_; }
  Schemas& schemas() { return schemas_; }

  // The evidence for the check, or why there is none.
  template <class Kind>
  tl::expected<Kind, std::string> evidence(const Check& check) const {
    for (const auto& [owner, evidence] : evidences_) {
      if (owner != &check) continue;
      if (const auto* kind = std::get_if<Kind>(&evidence)) return *kind;
      if (const auto* none = std::get_if<Unavailable>(&evidence))
        return tl::unexpected(none->problem);
    }
    return tl::unexpected(std::string("there is no evidence"));
  }

 private:
  const Response& response_;
  const Evidences& evidences_;
  Regexes& regexes_;
  Schemas& schemas_;
  const Mask& mask_;
  std::optional<FoldedText> folded_;
  std::optional<std::string> repaired_;  // empty: the text was valid
  std::optional<std::size_t> tokens_;
  std::optional<tl::expected<base::JsonDocument, std::string>> json_;
};

// Judges with the function in the check's row.
Finding judge_check(const Check& check, Judging& judging);

Verdict pass_if(bool holds);
Finding finding(Verdict verdict, std::string message);  // judge_check() sets its type
// At least two decimals, and more if the value would otherwise look like the limit it misses.
std::string share(double value, double limit);

}  // namespace vibe::check
