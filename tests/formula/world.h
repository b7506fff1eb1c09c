// World: the evals and samples that formula tests are about, read from lines of text
// (`tag math hard`, `sample math pass 1 0.01 10 5`), and the ways to evaluate over them.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "formula/names.h"
#include "formula/program.h"
#include "score/samples.h"

namespace vibe::formula {

struct World {
  Names names;
  score::Samples samples;
};

// Lines `tag EVAL TAG` and `sample EVAL pass|fail LATENCY COST PROMPT COMPLETION`, where `?` is
// an unknown figure and `-` stands for an eval without a name.
World make_world(const std::vector<std::string>& lines);

// The samples that the comment in function.h describes.
World documented_world();

Names names_of(const std::vector<std::string>& evals, const std::vector<std::string>& metrics = {});

using Metrics = std::vector<std::pair<std::string, std::string>>;  // name, formula

// Compiles with sources named `formula` and `metric NAME`; sorts what it found.
std::optional<Program> compile_text(Names names, const std::string& formula, const Metrics& metrics,
                                    base::Diagnostics& out);
// Fails the test if there is an error.
Program compile_valid(const Names& names, const std::string& formula, const Metrics& metrics = {});

// The score, by row and in a batch on every instruction set; fails the test where they differ
// in a bit.
double evaluate_everywhere(const Program& program, const std::vector<double>& inputs);
double evaluate_everywhere(const Program& program, const score::Samples& samples);

std::vector<double> measure(const Program& program, const score::Samples& samples);

inline std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

std::vector<std::string> read_lines(const std::string& path_in_tests);

}  // namespace vibe::formula
