// Schema: the keys of request bodies, one table for each. A row holds everything about a key:
// Body reads by it, and the OpenAPI description and docs/api.md are made from it.
#pragma once

#include <array>

#include "app/team/sent_suite.h"
#include "base/fields.h"

namespace vibe::server {

using base::Field;
using base::Section;
using base::Type;

inline constexpr std::array kToolServerFields{
    Field{.name = "authorization_token",
          .type = Type::text_or_empty,
          .doc = "sent to the tool server; not stored with the run"},
    Field{.name = "name", .type = Type::text_or_empty, .doc = "the tool server's name in messages"},
    Field{.name = "url", .type = Type::text_or_empty, .doc = "the tool server's URL"},
};
inline constexpr Section kToolServerKeys{"mcp_server", "`options.mcp_server`", kToolServerFields};

inline constexpr std::array kRunOptionFields{
    Field{.name = "budget",
          .type = Type::number,
          .range = {.least = 0},
          .takes = "a number, 0 or more",
          .doc = "cost limit of the run, in US dollars"},
    Field{.name = "cache",
          .type = Type::boolean,
          .doc = "reuse answers from earlier runs that used `cache`"},
    Field{.name = "mcp_server",
          .type = Type::map,
          .doc = "a tool server to use instead of the suite's",
          .section = &kToolServerKeys},
    Field{
        .name = "model", .type = Type::text_or_empty, .doc = "model to use instead of the suite's"},
    Field{.name = "only",
          .type = Type::any,
          .takes = "a list of strings",
          .doc = "evals to run, by name, glob or `tag:NAME`; at most 1000"},
    Field{.name = "repeat",
          .type = Type::integer,
          .range = {1, app::kMostRepeats},
          .doc = "samples per eval"},
    Field{.name = "run_timeout",
          .type = Type::number,
          .range = {.least = 0, .above = true},
          .takes = "a number greater than 0",
          .doc = "time limit of the run, in seconds"},
    Field{.name = "system_prompt",
          .type = Type::text_or_empty,
          .doc = "system prompt to use instead of the suite's"},
    Field{.name = "threads",
          .type = Type::integer,
          .range = {1, app::kMostThreads},
          .doc = "requests in flight at a time"},
};
inline constexpr Section kRunOptionKeys{"options", "`options`", kRunOptionFields};

inline constexpr Field kEvalSuite{
    .name = "evalSuite", .type = Type::any, .takes = "an object", .doc = "the suite as JSON"};
inline constexpr Field kYamlContent{
    .name = "yamlContent", .type = Type::text_or_empty, .doc = "the suite file as text"};

inline constexpr std::array kStartFields{
    kEvalSuite,
    kYamlContent,
    Field{.name = "options",
          .type = Type::map,
          .doc = "settings that override the suite's",
          .section = &kRunOptionKeys},
    Field{.name = "resume",
          .type = Type::text_or_empty,
          .doc = "id of a run to resume; runs only the samples that have no result yet"},
    Field{.name = "retryFailed",
          .type = Type::text_or_empty,
          .doc = "id of a run to resume; repeats its samples that ended with an error"},
    Field{.name = "again",
          .type = Type::text_or_empty,
          .doc = "id of a run; starts a new one that sends all its prompts again"},
};
inline constexpr Section kStartKeys{"start", "the body", kStartFields};

inline constexpr std::array kSuiteFields{kEvalSuite, kYamlContent};
inline constexpr Section kSuiteKeys{"suite", "the body", kSuiteFields};

inline constexpr std::array kFormulaFields{
    Field{.name = "formula", .type = Type::text_or_empty, .doc = "the formula to check"},
    kYamlContent,
};
inline constexpr Section kFormulaKeys{"formula", "the body", kFormulaFields};

inline constexpr std::array kNamedValueFields{
    Field{.name = "name", .type = Type::text_or_empty, .required = true, .doc = "its name"},
    Field{.name = "value", .type = Type::text_or_empty, .required = true, .doc = "its value"},
};
inline constexpr Section kNamedValueKeys{"named_value", "the body", kNamedValueFields};

inline constexpr std::array kValueFields{
    Field{.name = "value", .type = Type::text_or_empty, .required = true, .doc = "its value"},
};
inline constexpr Section kValueKeys{"value", "the body", kValueFields};

inline constexpr std::array kInviteFields{
    Field{.name = "code", .type = Type::text, .required = true, .doc = "the invitation code"},
};
inline constexpr Section kInviteKeys{"invite", "the body", kInviteFields};

inline constexpr std::string_view kSide = "a score, or `NAME@VERSION`";
inline constexpr std::array kDecisionFields{
    Field{.name = "old",
          .type = Type::any,
          .required = true,
          .takes = kSide,
          .doc = "the agent before the change"},
    Field{.name = "new",
          .type = Type::any,
          .required = true,
          .takes = kSide,
          .doc = "the agent after the change"},
    Field{.name = "seed",
          .type = Type::integer,
          .range = {.least = 0},
          .takes = "a whole number, 0 or more",
          .doc = "repeats a decision made with this seed; random by default"},
};
inline constexpr Section kDecisionKeys{"decision", "the body", kDecisionFields};

inline constexpr std::array kRescoreFields{
    Field{.name = "filter",
          .type = Type::any,
          .takes = "an object",
          .doc = "which runs: the filters of `GET /api/runs`, such as `suite_name`"},
    Field{.name = "formula",
          .type = Type::text_or_empty,
          .required = true,
          .doc = "the formula to score by"},
    Field{.name = "intervals",
          .type = Type::boolean,
          .doc = "also how sure the new scores are; of at most 200 runs"},
    Field{.name = "keep",
          .type = Type::text_or_empty,
          .doc = "stores the new scores under this name, beside those of the runs; needs the role "
                 "`run`"},
    Field{.name = "metrics",
          .type = Type::any,
          .takes = "an object of formulas",
          .doc = "formulas that the formula may use, by name"},
    Field{.name = "min_score", .type = Type::number, .doc = "a gate in place of the runs' own"},
    Field{.name = "on_undefined",
          .type = Type::number,
          .doc = "the score of a run for which the formula is undefined"},
    Field{.name = "rows",
          .type = Type::integer,
          .range = {.least = 0},
          .takes = "a whole number, 0 or more",
          .doc = "how many runs to send, the newest first; 50 by default"},
};
inline constexpr Section kRescoreKeys{"rescore", "the body", kRescoreFields};

// Body has a slot for each row.
constexpr bool small_enough(const Section& section) {
  for (const auto& field : section.fields)
    if (field.section && !small_enough(*field.section)) return false;
  return section.fields.size() <= base::kMaxFields;
}

}  // namespace vibe::server
