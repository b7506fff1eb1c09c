// Schema: the keys of a rubric, section by section. A row has every fact about a key; the reader,
// its messages and the documentation use the rows.
#pragma once

#include <array>

#include "base/fields.h"
#include "fitness/words.h"

namespace vibe::fitness {

using base::Field;
using base::Range;
using base::Section;
using base::Type;

inline constexpr Range kShare{0, 1};
inline constexpr std::size_t kMostWords = 1000;     // per list
inline constexpr std::size_t kMostWordBytes = 200;  // per entry
inline constexpr std::size_t kMostGrades = 100;
inline constexpr std::size_t kMostAggregated = 1000;  // weights

inline constexpr std::array kRubricFields{
    Field{.name = "name",
          .type = Type::text,
          .doc = "its name in reports",
          .example = "name: reviews"},
    Field{.name = "expected",
          .type = Type::map,
          .doc = "the time and calls that a task may take, by its complexity",
          .example = "expected: {medium: {seconds: 600, calls: 40}}"},
    Field{.name = "efficiency",
          .type = Type::text,
          .takes = "`time`, `tools` or `mean`",
          .doc = "how `efficiency` is measured: by time, by tool calls, or as the mean of both; if "
                 "only one is known, by that one",
          .example = "efficiency: mean"},
    Field{.name = "most_errors",
          .type = Type::number,
          .range = {.least = 0, .above = true},
          .doc = "with this many errors or more, `error_rate` is 1",
          .example = "most_errors: 20"},
    Field{.name = "weights",
          .type = Type::map,
          .doc = "the points for each thing found in the answer",
          .example = "weights: {structure: {headers: 0.2, lists: 0.4, code_blocks: 0.4}}"},
    Field{.name = "errors",
          .type = Type::map,
          .doc = "text that marks an error",
          .example = "errors: {line_start: [\"error:\"], anywhere: [command not found]}"},
    Field{.name = "words",
          .type = Type::map,
          .doc = "words and phrases to look for in the answer",
          .example = "words: {placeholders: [TODO, lorem ipsum]}"},
    Field{.name = "metrics",
          .type = Type::map,
          .takes = "a table of names and formulas",
          .doc = "named formulas, usable in `formula`",
          .example = "metrics: {care: 1 - error_rate}"},
    Field{.name = "formula",
          .type = Type::any,
          .takes = "a formula",
          .doc = "the score, from 0 to 100",
          .example = "formula: round(100 * (0.6 * tool_success_rate + 0.4 * output_quality), 2)"},
    Field{.name = "undefined",
          .type = Type::text,
          .takes = "`rescale` or `error`",
          .doc = "what to do with unknown signals",
          .example = "undefined: error"},
    Field{.name = "grades",
          .type = Type::list,
          .takes = "a list of grades",
          .doc = "the best first; the last is for all lower scores",
          .example = "grades: [{name: good, from: 70}, {name: poor}]"},
    Field{.name = "aggregation",
          .type = Type::map,
          .doc = "how to combine several scores",
          .example = "aggregation: {trim: 0.1, weights: [1.0, 0.5]}"},
    Field{.name = "decision",
          .type = Type::map,
          .doc = "how much the score must change for a changed agent to be kept or rejected",
          .example = "decision: {significant: 5, tolerated: -3, exploration: 0.2}"},
    Field{.name = "add",
          .type = Type::map,
          .doc = "entries to add to the lists of `words` and `errors`",
          .example = "add: {next_steps: [before you merge], line_start: [\"npm ERR!\"]}"},
};

// In the order of Complexity.
inline constexpr std::array kExpectedFields{
    Field{.name = "simple",
          .type = Type::map,
          .doc = "a simple task",
          .example = "simple: {seconds: 30, calls: 5}"},
    Field{.name = "medium",
          .type = Type::map,
          .doc = "a task of unknown complexity",
          .example = "medium: {seconds: 120, calls: 15}"},
    Field{.name = "complex",
          .type = Type::map,
          .doc = "a complex task",
          .example = "complex: {seconds: 300, calls: 30}"},
};
inline constexpr std::array kTaskFields{
    Field{.name = "seconds",
          .type = Type::number,
          .range = {.least = 0, .above = true},
          .doc = "seconds that it may take",
          .example = "seconds: 120"},
    Field{.name = "calls",
          .type = Type::number,
          .range = {.least = 0, .above = true},
          .doc = "tool calls that it may take",
          .example = "calls: 15"},
};

// In the order of Part; the keys of each are the names of its heuristics.
inline constexpr std::array kWeightsFields{
    Field{.name = "completeness",
          .type = Type::map,
          .doc = "the parts of `completeness`",
          .example =
              "completeness: {direct_answer: 0.4, code: 0.3, explanation: 0.3, next_steps: 0}"},
    Field{.name = "accuracy",
          .type = Type::map,
          .doc = "the parts of `accuracy`",
          .example = "accuracy: {syntax: 0.6, no_obvious_error: 0.2, follows_instructions: 0.2}"},
    Field{.name = "structure",
          .type = Type::map,
          .doc = "the parts of `structure_score`",
          .example = "structure: {headers: 0.2, lists: 0.4, code_blocks: 0.4}"},
};

// Lists of texts.
inline constexpr std::array kErrorsFields{
    Field{.name = "line_start",
          .type = Type::list,
          .takes = "a list of strings",
          .doc = "at the beginning of a line",
          .example = "line_start: [\"error:\"]"},
    Field{.name = "anywhere",
          .type = Type::list,
          .takes = "a list of strings",
          .doc = "anywhere in a line",
          .example = "anywhere: [command not found]"},
};
// In the order of WordList.
inline constexpr std::array kWordsFields{
    Field{.name = kWordLists[0].name,
          .type = Type::list,
          .takes = "a list of strings",
          .doc = kWordLists[0].doc,
          .example = "next_steps: [next step, tiếp theo]"},
    Field{.name = kWordLists[1].name,
          .type = Type::list,
          .takes = "a list of strings",
          .doc = kWordLists[1].doc,
          .example = "refusals: [i cannot]"},
    Field{.name = kWordLists[2].name,
          .type = Type::list,
          .takes = "a list of strings",
          .doc = kWordLists[2].doc,
          .example = "placeholders: [TODO]"},
};
inline constexpr std::array kAddFields{kWordsFields[0], kWordsFields[1], kWordsFields[2],
                                       kErrorsFields[0], kErrorsFields[1]};

inline constexpr std::array kGradeFields{
    Field{.name = "name",
          .type = Type::text,
          .required = true,
          .doc = "the grade",
          .example = "name: A"},
    Field{.name = "from",
          .type = Type::number,
          .doc = "the lowest score with this grade; the last grade has no `from`",
          .example = "from: 80"},
    Field{.name = "meaning",
          .type = Type::text,
          .doc = "what it means, for people",
          .example = "meaning: very good"},
};
inline constexpr std::array kAggregationFields{
    Field{.name = "trim",
          .type = Type::number,
          .range = {.least = 0, .most = 0.5, .below = true},
          .doc = "the share of scores to leave out at either end",
          .example = "trim: 0.1"},
    Field{.name = "weights",
          .type = Type::list,
          .takes = "a list of numbers",
          .doc = "for the newest score, the second newest, …",
          .example = "weights: [1.0, 0.9, 0.8, 0.7, 0.6]"},
};
inline constexpr Field kAggregationWeight{
    .name = "weights", .type = Type::number, .range = {0, 1, true}};

inline constexpr std::array kDecisionFields{
    Field{.name = "significant",
          .type = Type::number,
          .range = {.least = 0},
          .doc = "above this the change is accepted as clearly better",
          .example = "significant: 5"},
    Field{.name = "tolerated",
          .type = Type::number,
          .range = {.most = 0},
          .doc = "at or below this the change is rejected",
          .example = "tolerated: -3"},
    Field{.name = "exploration",
          .type = Type::number,
          .range = kShare,
          .doc = "the probability of accepting a change between `tolerated` and 0",
          .example = "exploration: 0.2"},
};

inline constexpr Section kRubricSection{"rubric", "the rubric", kRubricFields};
inline constexpr Section kExpectedSection{"expected", "`expected`", kExpectedFields};
inline constexpr Section kTaskSection{"expected of a task", "the task", kTaskFields};
inline constexpr Section kWeightsSection{"weights", "`weights`", kWeightsFields};
inline constexpr Section kErrorsSection{"errors", "`errors`", kErrorsFields};
inline constexpr Section kWordsSection{"words", "`words`", kWordsFields};
inline constexpr Section kAddSection{"add", "`add`", kAddFields};
inline constexpr Section kGradeSection{"grade", "the grade", kGradeFields};
inline constexpr Section kAggregationSection{"aggregation", "`aggregation`", kAggregationFields};
inline constexpr Section kDecisionSection{"decision", "`decision`", kDecisionFields};

static_assert(kRubricFields.size() <= base::kMaxFields);

}  // namespace vibe::fitness
