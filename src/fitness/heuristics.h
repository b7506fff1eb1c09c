// Heuristics: what the text of a final answer shows, one row each, so that readers can disagree
// with a rule. They check form and words, not truth. Pure; the words come from the rubric.
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
  Part part;                      // the signal that it contributes to
  std::string_view name;          // `next_steps`, in rubrics and JSON
  double weight;                  // in the default rubric
  std::string_view rule;          // one line
  std::string_view holds, fails;  // an answer for either result, tested
  std::string_view prompt = {};   // the prompt of those answers
};
inline constexpr std::size_t kHeuristicCount = 10;
const std::array<HeuristicRow, kHeuristicCount>& heuristics();  // in the order of the enum

// The result of one row.
struct Finding {
  bool holds = false;
  std::vector<std::string> evidence;  // `heading "Next steps" on line 12`; few, short
};

struct Answer {
  std::string_view text;    // Markdown
  std::string_view prompt;  // the answer's prompt; empty: not known
};

struct AnswerFindings {
  std::array<Finding, kHeuristicCount> rows;
  std::vector<std::string> error_lines;  // lines outside code that match an error pattern
  std::uint32_t error_line_count = 0;    // all of them; error_lines has the first few
  bool has_program = false;              // a fenced block in a programming language

  const Finding& operator[](Heuristic id) const { return rows[static_cast<std::size_t>(id)]; }
};

AnswerFindings look_at(const Answer& answer, const Words& words);

// Only the findings of look_at() for Part::structure.
trace::Structure structure_of(std::string_view answer);

}  // namespace vibe::fitness
