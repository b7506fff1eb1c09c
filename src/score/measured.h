// Measured: what is stored of a finished run, so that it can be scored by any formula without
// reading a response: its figures (figures.h), which are enough for every formula; and the values
// that most formulas use, which are faster to read. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "formula/input.h"
#include "formula/program.h"
#include "score/samples.h"

namespace vibe::score {

// Which values of a run are stored, in order: the run-wide metrics; of each named eval its pass
// rate, latency and cost; what else its formulas use. The runs of a suite have the same layout, so
// it is stored once.
class InputLayout {
 public:
  InputLayout(std::vector<std::string> evals, std::vector<std::string> others);

  const std::vector<std::string>& evals() const { return evals_; }
  std::size_t size() const;  // number of values
  // The place of the value; none: it is not stored.
  std::optional<std::size_t> find(const formula::Input& input) const;

  std::string encode() const;
  // Code::store_damaged, also for the layout of another version.
  static base::Result<InputLayout> decode(std::string_view bytes);

 private:
  std::vector<std::string> evals_, others_;  // `others_` are keys of inputs
  std::unordered_map<std::string, std::size_t> eval_places_, other_places_;
};

struct Measured {
  std::string figures;
  std::string layout;          // an encoded InputLayout
  std::vector<double> inputs;  // NaN: undefined
};

Measured measure(const formula::Program& program, const Samples& samples);

}  // namespace vibe::score
