// Evidence: what was found out for a check that the response alone cannot decide: how close two
// texts are, what a judge model said, how a program ended. Somebody else finds it out (run/); the
// checks judge by it. Plain data; safe to copy.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/process.h"
#include "check/check.h"
#include "check/verdict.h"

namespace vibe::check {

// Why there is none, and what it cost all the same.
struct Unavailable {
  std::string problem;
  std::optional<double> cost = 0;  // US dollars; none: unknown
  double paid = 0;                 // of the cost, in this run: answers that were kept are free
};

// What a judge said, once.
struct Opinion {
  bool meets = false;           // the criteria
  std::optional<double> grade;  // from 0 to 1, where one was asked for
  std::string reason;
};

// All answers of a judge that could be understood, and why another could not.
struct Opinions {
  std::vector<Opinion> all;
  std::string problem;
  Judged judged;    // `agreed` is the check's business
  double paid = 0;  // as above
};

struct Closeness {
  double similarity = 0;           // from -1 to 1
  std::optional<double> cost = 0;  // of the embeddings, as above
  double paid = 0;
};

using Evidence = std::variant<Unavailable, Closeness, Opinions, base::Finished>;

// By check.
using Evidences = std::vector<std::pair<const Check*, Evidence>>;

// The checks that need something to be found out, those inside `or` included.
std::vector<const Check*> needing_evidence(std::span<const Check> checks);

}  // namespace vibe::check
