// Suite: the content of a suite file as plain data: the model, the evals with their checks and
// cases, how the score is computed. Independent of YAML; load.h reads it. Immutable once loaded;
// safe to share between threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "check/check.h"
#include "check/checks.h"
#include "formula/names.h"
#include "formula/program.h"
#include "suite/table.h"

namespace vibe::suite {

// Texts in metadata, prompts and checks may contain templates (template.h), which are replaced when
// a run starts.

struct McpServer {
  std::string url, name, authorization_token;  // the last two may be empty
  base::Span span;                             // of the key, in the suite
};

inline constexpr std::int64_t kDefaultThreads = 4;

struct Metadata {
  std::string name, model;
  std::string system_prompt;  // empty: none
  // Requests in flight; none: the user's setting, or kDefaultThreads.
  std::optional<std::int64_t> threads;
  std::int64_t repeat = 1;  // samples per eval
  double timeout = 60;      // seconds for one request
  std::optional<double> temperature, top_p;
  std::optional<std::int64_t> max_output_tokens, seed;
  std::string judge_model, embedding_model;  // empty: the user's setting
  std::optional<McpServer> mcp_server;
};

struct Eval {
  std::string name;  // empty: none, so no formula can refer to it
  std::vector<std::string> tags;
  std::string prompt;
  std::int64_t repeat = 1;             // per case
  double timeout = 60;                 // seconds for one request
  check::Checks checks;                // its own, which follow Suite::default_checks
  std::shared_ptr<const Table> cases;  // null: none, the eval is its only case
  base::Span span, name_span;          // in the suite
};

struct Metric {
  std::string name, formula;
};

struct Score {
  std::string formula = "success_pct";
  std::vector<Metric> metrics;
  std::optional<double> min;           // the gate
  std::optional<double> on_undefined;  // replaces an undefined score; none: it stays undefined
  // Whether intervals speak of other cases or of other evals; none: of cases if there are few
  // evals.
  std::optional<bool> is_by_case;
  std::string rubric;      // a file, including the suite's folder; empty: the default
  base::Span rubric_span;  // in the suite
};

struct Suite {
  Metadata metadata;
  std::vector<check::Check> default_checks;  // precede the checks of every eval
  std::vector<Eval> evals;
  Score score;
  formula::Names names;
  formula::Program program;
};

}  // namespace vibe::suite
