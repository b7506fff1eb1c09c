// Judging: one response while its checks are judged, and what several of them need of it, made
// once, when first asked for. Belongs to one thread; the response must outlive it.
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
#include "check/verdict.h"

namespace vibe::check {

// Compiled expressions, kept from one response to the next.
class Regexes {
 public:
  using Compiled = tl::expected<Regex, RegexProblem>;
  static constexpr std::size_t kMost = 256;  // then all are forgotten

  // Valid until the next call.
  const Compiled& find(const std::string& pattern, Regex::Mode mode);

 private:
  std::unordered_map<std::string, Compiled> known_[2];  // by mode
};

// Compiled schemas, likewise. One that is of no use is the reason why.
class Schemas {
 public:
  using Compiled = tl::expected<Schema, std::string>;
  static constexpr std::size_t kMost = 256;

  // By its JSON text. Valid until the next call.
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
  std::string_view valid_text();  // with U+FFFD for what is not UTF-8
  std::size_t tokens();
  const tl::expected<base::JsonDocument, std::string>& json();  // or why it is none
  // What may be shown of a text that is not ours; the same shortened, in one line.
  std::string masked(std::string_view text) const { return check::masked(text, mask_); }
  std::string in_quotes(std::string_view text) const;
  const Mask& mask() const { return mask_; }
  Regexes& regexes() { return regexes_; }
  Schemas& schemas() { return schemas_; }

  // What was found out for the check, or why nothing was.
  template <class Kind>
  tl::expected<Kind, std::string> evidence(const Check& check) const {
    for (const auto& [owner, evidence] : evidences_) {
      if (owner != &check) continue;
      if (const auto* kind = std::get_if<Kind>(&evidence)) return *kind;
      if (const auto* none = std::get_if<Unavailable>(&evidence))
        return tl::unexpected(none->problem);
    }
    return tl::unexpected(std::string("nothing was found out"));
  }

 private:
  const Response& response_;
  const Evidences& evidences_;
  Regexes& regexes_;
  Schemas& schemas_;
  const Mask& mask_;
  std::optional<FoldedText> folded_;
  std::optional<std::string> repaired_;  // empty: it was valid
  std::optional<std::size_t> tokens_;
  std::optional<tl::expected<base::JsonDocument, std::string>> json_;
};

// By the function of its row.
Finding judge_check(const Check& check, Judging& judging);

Verdict pass_if(bool holds);
Finding finding(Verdict verdict, std::string message);  // its type is filled in by judge_check()
// At least two decimals, and as many more as it takes not to look like the limit it misses.
std::string share(double value, double limit);

}  // namespace vibe::check
