// Schema: the keys of a suite file, section by section. A row holds everything about a
// key; the loader, the documentation and its tests are driven by the rows.
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
inline constexpr Range kTimeout{0, 86400, true};

inline constexpr std::array kSuiteFields{
    Field{"metadata",
          Type::map,
          true,
          {},
          "",
          "",
          "the suite's name, the model, how to run",
          "metadata: {name: my-suite, model: openai/gpt-4o-mini}"},
    Field{"defaults",
          Type::map,
          false,
          {},
          "",
          "",
          "what applies to every eval",
          "defaults: {checks: [max_tokens: 200]}"},
    Field{"evals",
          Type::list,
          true,
          {},
          "",
          "a list of evals",
          "what is asked, and what the answers must be",
          "evals: [{prompt: What is 15 * 7?, checks: [match: \"*105*\"]}]"},
    Field{"score",
          Type::map,
          false,
          {},
          "",
          "",
          "how the results become one number",
          "score: {formula: success_pct / total_cost}"},
};

inline constexpr std::array kMetadataFields{
    Field{"name", Type::text, true, {}, "", "", "the suite's name", "name: my-suite"},
    Field{"model",
          Type::text,
          true,
          {},
          "",
          "`PROVIDER/MODEL`, `http:NAME`, `exec:COMMAND` or `replay:FILE`",
          "the model that is evaluated",
          "model: openai/gpt-4o-mini"},
    Field{"system_prompt",
          Type::text_or_empty,
          false,
          {},
          "",
          "",
          "goes before every prompt",
          "system_prompt: You are terse."},
    Field{"threads",
          Type::integer,
          false,
          {1, 1024},
          "4",
          "",
          "requests in flight at a time",
          "threads: 8"},
    Field{"repeat", Type::integer, false, kRepeat, "1", "", "samples of each eval", "repeat: 5"},
    Field{"timeout", Type::number, false, kTimeout, "60", "", "seconds for one request",
          "timeout: 120"},
    Field{"temperature",
          Type::number,
          false,
          {0, 2},
          "",
          "",
          "passed to the model",
          "temperature: 0.2"},
    Field{"top_p", Type::number, false, {0, 1}, "", "", "passed to the model", "top_p: 0.9"},
    Field{"max_output_tokens",
          Type::integer,
          false,
          {.least = 1},
          "",
          "",
          "passed to the model",
          "max_output_tokens: 500"},
    Field{"seed", Type::integer, false, {}, "", "", "passed to the model", "seed: 42"},
    Field{"mcp_server",
          Type::map,
          false,
          {},
          "",
          "",
          "a server of tools for the model",
          "mcp_server: {url: \"https://tools.example.com/mcp\"}"},
};

inline constexpr std::array kMcpServerFields{
    Field{"url",
          Type::text,
          true,
          {},
          "",
          "",
          "where the server is",
          "url: \"https://tools.example.com/mcp\""},
    Field{"name", Type::text, false, {}, "", "", "what the model calls it", "name: tools"},
    Field{"authorization_token",
          Type::text,
          false,
          {},
          "",
          "",
          "sent to the server, best as a secret",
          "authorization_token: \"{{secret('tools')}}\""},
};

inline constexpr std::array kDefaultsFields{
    Field{"checks",
          Type::any,
          false,
          {},
          "",
          "checks, in any of their forms, without a follow-up",
          "come first in every eval",
          "checks: [max_tokens: 200]"},
    Field{"repeat", Type::integer, false, kRepeat, "that of `metadata`", "", "samples of each eval",
          "repeat: 3"},
    Field{"timeout", Type::number, false, kTimeout, "that of `metadata`", "",
          "seconds for one request", "timeout: 30"},
};

inline constexpr std::array kEvalFields{
    Field{"name",
          Type::any,
          false,
          {},
          "",
          "letters, digits, `_` and `-`",
          "how formulas refer to the eval",
          "name: critical-math"},
    Field{"tags",
          Type::any,
          false,
          {},
          "",
          "text, or a list of texts",
          "groups of evals, `tag:NAME` in formulas",
          "tags: [math, hard]"},
    Field{"prompt", Type::text, true, {}, "", "", "what is asked", "prompt: What is 15 * 7?"},
    Field{"cases",
          Type::any,
          false,
          {},
          "",
          "a list of tables, or the name of a `.csv` or `.jsonl` file",
          "a table of inputs, one eval each",
          "cases: [{country: France, city: Paris}]"},
    Field{"repeat", Type::integer, false, kRepeat, "that of `defaults`", "",
          "samples of the eval, or of each of its cases", "repeat: 5"},
    Field{"timeout", Type::number, false, kTimeout, "that of `defaults`", "",
          "seconds for one request", "timeout: 10"},
    Field{"checks",
          Type::any,
          false,
          {},
          "",
          "checks, in any of their forms",
          "what the answer must be; may be left out only if `defaults` has checks",
          "checks: [match: \"*105*\"]"},
};

inline constexpr std::array kScoreFields{
    Field{"formula",
          Type::any,
          false,
          {},
          "success_pct",
          "a formula",
          "the score",
          "formula: success_pct / total_cost"},
    Field{"metrics",
          Type::map,
          false,
          {},
          "",
          "a table of names and formulas",
          "named formulas, shown beside the score and usable in it",
          "metrics: {thrift: 1 / (1 + total_cost)}"},
    Field{"min",
          Type::number,
          false,
          {},
          "",
          "",
          "the gate: a run with a lower score fails",
          "min: 40"},
    Field{"on_undefined",
          Type::any,
          false,
          {},
          "error",
          "`error`, `zero` or a number",
          "what an undefined score becomes",
          "on_undefined: zero"},
};

inline constexpr Section kSuiteSection{"suite", "the suite", kSuiteFields};
inline constexpr Section kMetadataSection{"metadata", "`metadata`", kMetadataFields};
inline constexpr Section kMcpServerSection{"mcp_server", "`mcp_server`", kMcpServerFields};
inline constexpr Section kDefaultsSection{"defaults", "`defaults`", kDefaultsFields};
inline constexpr Section kEvalSection{"eval", "the eval", kEvalFields};
inline constexpr Section kScoreSection{"score", "`score`", kScoreFields};

// Every section of a file, as the documentation has them.
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
};

consteval bool small_enough(const auto& sections) {
  for (const Section* section : sections)
    if (section->fields.size() > check::kMaxFields) return false;
  return true;
}
static_assert(small_enough(kSections), "raise check::kMaxFields");

}  // namespace vibe::suite
