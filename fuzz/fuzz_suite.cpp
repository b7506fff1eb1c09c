// Any bytes as a suite: never a crash, no suite after an error, and every diagnostic points into
// its text and can be rendered.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "suite/load.h"

namespace {

using namespace vibe;

void require(bool holds) {
  if (!holds) std::abort();
}

// The bytes after a line `---8<---` are the cases file.
constexpr std::string_view kCut = "\n---8<---\n";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto cut = bytes.find(kCut);
  const std::string cases(cut == std::string_view::npos ? "id,country\n1,France\n2,Japan\n"
                                                        : bytes.substr(cut + kCut.size()));

  suite::LoadOptions options;
  options.verbose = true;
  options.read_file = [&](const std::string&) -> base::Result<std::string> { return cases; };
  base::Diagnostics found;
  const auto suite = suite::load(base::make_source("fuzz.yaml", std::string(bytes.substr(0, cut))),
                                 options, found);
  require(suite.has_value() != found.failed());
  for (const auto& diagnostic : found.all()) {
    require(diagnostic.source != nullptr && !diagnostic.message.empty());
    require(diagnostic.span.begin <= diagnostic.span.end &&
            diagnostic.span.end <= diagnostic.source->text().size());
    require(!base::render(diagnostic).empty());
  }
  if (suite) {
    require(!suite->evals.empty());
    require(suite->program.formulas.size() == suite->score.metrics.size() + 1);
  }
  return 0;
}
