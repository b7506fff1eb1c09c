// Any bytes as a rubric: never a crash, no rubric after an error, every diagnostic points into its
// text and can be rendered; and a usable rubric gives a score, or a reason why there is none, for
// any set of known signals.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fitness/rubric.h"
#include "fitness/score.h"

namespace {

using namespace vibe;

void require(bool holds) {
  if (!holds) std::abort();
}

// The signals whose bit is set are known.
fitness::Signals signals_of(unsigned known) {
  fitness::Signals out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if ((known >> i & 1) != 0)
      out[i].value = static_cast<double>(i) / static_cast<double>(out.size());
    else
      out[i].why = "not known";
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  base::Diagnostics found;
  const auto source = base::make_source("fuzz.yaml", {reinterpret_cast<const char*>(data), size});
  const auto rubric = fitness::read_rubric(source, found);
  require(rubric.has_value() != found.failed());
  for (const auto& diagnostic : found.all()) {
    require(diagnostic.source != nullptr && !diagnostic.message.empty());
    require(diagnostic.span.begin <= diagnostic.span.end &&
            diagnostic.span.end <= diagnostic.source->text().size());
    require(!base::render(diagnostic).empty());
  }
  if (!rubric) return 0;
  require(!rubric->grades.empty() && !rubric->aggregation.weights.empty());
  for (const unsigned known : {0u, 0x3FFu, 0x155u, 0x2AAu, 0x3FEu, 0x1FFu}) {
    const fitness::Fitness fitness = fitness::score(signals_of(known), *rubric);
    require(fitness.score.has_value() == fitness.error.empty());
    require(fitness.score.has_value() != fitness.grade.empty());
    require(!fitness.score || std::isfinite(*fitness.score));
    notes_of(fitness, *rubric);
  }
  return 0;
}
