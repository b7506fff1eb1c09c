// Schema: the keys of a suite file, section by section. A row has everything about a key; the
// loader, the documentation and its tests use the rows.
#pragma once

#include <array>

#include "check/check.h"
#include "check/checks.h"
#include "check/fields.h"

namespace vibe::suite {

using check::Field;
using check::Range;
using check::Section;
using check::Type;

inline constexpr Range kRepeat{1, 1000};
inline constexpr Range kThreads{1, 1024};
inline constexpr Range kTimeout{0, 86400, true};

inline constexpr std::array kSuiteFields{
    Field{.name = "metadata",
          .type = Type::map,
          .required = true,
          .doc = "the suite's name, the model, and how to run it",
          .example = "metadata: {name: my-suite, model: openai/gpt-4o-mini}"},
    Field{.name = "defaults",
          .type = Type::map,
          .doc = "settings for every eval",
          .example = "defaults: {checks: [max_tokens: 200]}"},
    Field{.name = "evals",
          .type = Type::list,
          .required = true,
          .takes = "a list of evals",
          .doc = "the prompts, and what the answers must be",
          .example = "evals: [{prompt: What is 15 * 7?, checks: [match: \"*105*\"]}]"},
    Field{.name = "score",
          .type = Type::map,
          .doc = "how the results become one number",
          .example = "score: {formula: success_pct / total_cost}"},
};

inline constexpr std::array kMetadataFields{
    Field{.name = "name",
          .type = Type::text,
          .required = true,
          .doc = "the suite's name",
          .example = "name: my-suite"},
    Field{.name = "model",
          .type = Type::text,
          .required = true,
          .takes = "`PROVIDER/MODEL`, `http:NAME`, `exec:COMMAND` or `replay:FILE`",
          .doc = "the model to evaluate",
          .example = "model: openai/gpt-4o-mini"},
    Field{.name = "system_prompt",
          .type = Type::text_or_empty,
          .doc = "sent before every prompt",
          .example = "system_prompt: You are terse."},
    Field{.name = "threads",
          .type = Type::integer,
          .range = kThreads,
          .fallback = "4",
          .doc = "requests in flight at a time",
          .example = "threads: 8"},
    Field{.name = "repeat",
          .type = Type::integer,
          .range = kRepeat,
          .fallback = "1",
          .doc = "samples of each eval",
          .example = "repeat: 5"},
    Field{.name = "timeout",
          .type = Type::number,
          .range = kTimeout,
          .fallback = "60",
          .doc = "seconds for one request",
          .example = "timeout: 120"},
    Field{.name = "temperature",
          .type = Type::number,
          .range = {0, 2},
          .doc = "passed to the model",
          .example = "temperature: 0.2"},
    Field{.name = "top_p",
          .type = Type::number,
          .range = {0, 1},
          .doc = "passed to the model",
          .example = "top_p: 0.9"},
    Field{.name = "max_output_tokens",
          .type = Type::integer,
          .range = {.least = 1},
          .doc = "passed to the model",
          .example = "max_output_tokens: 500"},
    Field{
        .name = "seed", .type = Type::integer, .doc = "passed to the model", .example = "seed: 42"},
    Field{.name = "judge_model",
          .type = Type::text,
          .fallback = "from the configuration",
          .takes = "`PROVIDER/MODEL`, `http:NAME` or `exec:COMMAND`",
          .doc = "the judge model for `llm_judge`",
          .example = "judge_model: openai/gpt-4.1-mini"},
    Field{.name = "embedding_model",
          .type = Type::text,
          .fallback = "from the configuration",
          .takes = "`local` or `PROVIDER/MODEL`",
          .doc = "the embedding model for `semantic`",
          .example = "embedding_model: openai/text-embedding-3-small"},
    Field{.name = "mcp_server",
          .type = Type::map,
          .doc = "a tool server for the model",
          .example = "mcp_server: {url: \"https://tools.example.com/mcp\"}"},
};

inline constexpr std::array kMcpServerFields{
    Field{.name = "url",
          .type = Type::text,
          .required = true,
          .doc = "the server's address",
          .example = "url: \"https://tools.example.com/mcp\""},
    Field{.name = "name",
          .type = Type::text_or_empty,
          .fallback = "the host of `url`",
          .doc = "the name shown in messages",
          .example = "name: tools"},
    Field{.name = "authorization_token",
          .type = Type::text,
          .doc = "sent to the server; best stored as a secret",
          .example = "authorization_token: \"{{secret('tools')}}\""},
};

inline constexpr std::array kDefaultsFields{
    Field{.name = "checks",
          .type = Type::any,
          .takes = "checks, in any of their forms, without a follow-up",
          .doc = "come before every eval's own checks",
          .example = "checks: [max_tokens: 200]"},
    Field{.name = "repeat",
          .type = Type::integer,
          .range = kRepeat,
          .fallback = "from `metadata`",
          .doc = "samples of each eval",
          .example = "repeat: 3"},
    Field{.name = "timeout",
          .type = Type::number,
          .range = kTimeout,
          .fallback = "from `metadata`",
          .doc = "seconds for one request",
          .example = "timeout: 30"},
};

inline constexpr std::array kEvalFields{
    Field{.name = "name",
          .type = Type::any,
          .takes = "letters, digits, `_` and `-`",
          .doc = "how formulas refer to the eval",
          .example = "name: critical-math"},
    Field{.name = "tags",
          .type = Type::any,
          .takes = "text, or a list of strings",
          .doc = "groups of evals, `tag:NAME` in formulas",
          .example = "tags: [math, hard]"},
    Field{.name = "prompt",
          .type = Type::text,
          .required = true,
          .doc = "what the model is asked",
          .example = "prompt: What is 15 * 7?"},
    Field{.name = "cases",
          .type = Type::any,
          .takes = "a list of tables, or the name of a `.csv` or `.jsonl` file",
          .doc = "a table of inputs; the eval runs once per row",
          .example = "cases: [{country: France, city: Paris}]"},
    Field{.name = "repeat",
          .type = Type::integer,
          .range = kRepeat,
          .fallback = "from `defaults`",
          .doc = "samples of the eval, or of each of its cases",
          .example = "repeat: 5"},
    Field{.name = "timeout",
          .type = Type::number,
          .range = kTimeout,
          .fallback = "from `defaults`",
          .doc = "seconds for one request",
          .example = "timeout: 10"},
    Field{.name = "checks",
          .type = Type::any,
          .takes = "checks, in any of their forms",
          .doc = "what the answer must be; optional only if `defaults` has checks",
          .example = "checks: [match: \"*105*\"]"},
};

inline constexpr std::array kScoreFields{
    Field{.name = "formula",
          .type = Type::any,
          .fallback = "success_pct",
          .takes = "a formula",
          .doc = "the score",
          .example = "formula: success_pct / total_cost"},
    Field{.name = "metrics",
          .type = Type::map,
          .takes = "a table of names and formulas",
          .doc = "named formulas, shown with the score and usable in it",
          .example = "metrics: {thrift: 1 / (1 + total_cost)}"},
    Field{.name = "min",
          .type = Type::number,
          .doc = "the gate: a run with a lower score fails",
          .example = "min: 40"},
    Field{.name = "on_undefined",
          .type = Type::any,
          .fallback = "error",
          .takes = "`error`, `zero` or a number",
          .doc = "what an undefined score becomes",
          .example = "on_undefined: zero"},
    Field{.name = "unit",
          .type = Type::any,
          .fallback = "automatic",
          .takes = "`eval` or `case`",
          .doc =
              "what intervals speak of: other evals like these, or other cases; by default cases "
              "if there are fewer than 20 evals",
          .example = "unit: case"},
    Field{.name = "rubric",
          .type = Type::text,
          .takes = "a file path, relative to the suite's folder",
          .doc = "the rubric for `output_quality`, `structure_score` and `fitness`; "
                 "by default the one that `vibe fitness rubric` prints",
          .example = "rubric: rubric.yaml"},
};

inline constexpr Section kSuiteSection{"suite", "the suite", kSuiteFields};
inline constexpr Section kMetadataSection{"metadata", "`metadata`", kMetadataFields};
inline constexpr Section kMcpServerSection{"mcp_server", "`mcp_server`", kMcpServerFields};
inline constexpr Section kDefaultsSection{"defaults", "`defaults`", kDefaultsFields};
inline constexpr Section kEvalSection{"eval", "the eval", kEvalFields};
inline constexpr Section kScoreSection{"score", "`score`", kScoreFields};

// Every section of a file, in the order of the documentation.
inline constexpr std::array kSections{
    &kSuiteSection,
    &kMetadataSection,
    &kMcpServerSection,
    &kDefaultsSection,
    &kEvalSection,
    &kScoreSection,
    &check::kFollowUpSection,
    &check::kSemanticSection,
    &check::kLlmJudgeSection,
    &check::kJsonSection,
    &check::kExecSection,
    &check::kToolCalledSection,
};

consteval bool small_enough(const auto& sections) {
  for (const Section* section : sections)
    if (section->fields.size() > check::kMaxFields) return false;
  return true;
}
static_assert(small_enough(kSections), "raise check::kMaxFields");

}  // namespace vibe::suite
