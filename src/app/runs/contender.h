// Contender: one side of a comparison: a stored run, or a file of results.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/runs/certainty.h"
#include "base/diagnostic.h"
#include "formula/program.h"
#include "score/run.h"
#include "score/samples.h"
#include "statistics/design.h"
#include "store/archive.h"

namespace vibe::app {

// A question that it answered.
struct Question {
  statistics::Asked asked;
  std::string label;   // the case; empty: the eval has no cases
  std::string prompt;  // the first one; empty: not known
  std::string answer;  // the first answer that did not pass, or else the first
  std::string checks;  // their types, one after the other
  double passed = 0;   // share of the answers
};

struct Contender {
  std::string label;                // the run's id, or the file
  std::optional<score::Run> run{};  // none: a file
  score::Samples samples{};
  std::optional<formula::Program> program{};  // its own formulas; none: a file has none
  SuiteSettings settings{};
  std::vector<Question> questions{};  // in the order of the plan

  // As shown: its name, or `eval 3`.
  std::string eval_name(std::uint32_t eval) const;
};

// `text` names a run by its id, by the beginning of its id, as `last`, as `last~N` (the N-th run of
// the same suite before the last), or as `SUITE@MODEL` (the last one); or it is a file of results.
// Only runs that have ended can be compared.
base::Result<Contender> find_contender(store::Runs& stored, const std::string& text);

// The same without files, as for the clients of a server.
base::Result<Contender> find_stored_contender(store::Runs& stored, std::string_view text);

}  // namespace vibe::app
