// Evidence: what a check needs in addition to the response: how close two texts are, what a judge
// model said, how a program ended. run/ collects it; the checks judge by it. Plain data; safe to
// copy.
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

namespace vibe::check {

// Why there is no evidence, and what the attempt cost.
struct Unavailable {
  std::string problem;
  std::optional<double> cost = 0;  // US dollars; none: unknown
  double paid = 0;                 // the part that this run paid: stored answers are free
};

// One answer of a judge.
struct Opinion {
  bool meets = false;           // the criteria
  std::optional<double> grade;  // from 0 to 1, if a grade was requested
  std::string reason;
};

// All answers of a judge that could be understood, and why another one could not.
struct Opinions {
  std::vector<Opinion> all;
  std::string problem;
  Judged judged;    // the check sets `agreed`
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

// The checks that need evidence, including those inside `or`.
std::vector<const Check*> needing_evidence(std::span<const Check> checks);

}  // namespace vibe::check
