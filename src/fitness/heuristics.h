// Heuristics: what can be told of a final answer by looking at it, a row each, so that a reader can
// argue with them. They look at form and words, not at truth. Pure; the words come from the rubric.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/markdown.h"
#include "fitness/words.h"
#include "trace/execution.h"

namespace vibe::fitness {

enum class Heuristic : std::uint8_t {
  direct_answer,
  code,
  explanation,
  next_steps,
  syntax,
  no_obvious_error,
  follows_instructions,
  headers,
  lists,
  code_blocks,
};

enum class Part : std::uint8_t { completeness, accuracy, structure };

struct HeuristicRow {
  Heuristic id;
  Part part;                      // of what it is a share
  std::string_view name;          // `next_steps`, in rubrics and JSON
  double weight;                  // of the default rubric
  std::string_view rule;          // one line
  std::string_view holds, fails;  // two answers that prove it
  std::string_view prompt = {};   // that the answers are to
};
inline constexpr std::size_t kHeuristicCount = 10;
const std::array<HeuristicRow, kHeuristicCount>& heuristics();  // in the order of the enum

// What one row found.
struct Finding {
  bool holds = false;
  std::vector<std::string> evidence;  // `heading "Next steps" on line 12`; few, short
};

struct Answer {
  std::string_view text;    // Markdown
  std::string_view prompt;  // that asked for it; empty: not known
};

struct AnswerFindings {
  std::array<Finding, kHeuristicCount> rows;
  std::vector<std::string> error_lines;  // lines outside of code that match an error pattern
  std::uint32_t error_line_count = 0;    // of which error_lines has the first few
  bool has_program = false;              // a fenced block in a programming language

  const Finding& operator[](Heuristic id) const { return rows[static_cast<std::size_t>(id)]; }
};

AnswerFindings look_at(const Answer& answer, const Words& words);

// What look_at() finds of Part::structure, alone.
trace::Structure structure_of(std::string_view answer);

}  // namespace vibe::fitness
