// Suite: what a suite file asks for, as plain data: the model, the evals with their
// checks and cases, how the score is made. Independent of the YAML it came from. Does not
// say how to read one (load.h). Immutable once loaded; safe to share between threads.
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

// Texts of metadata, prompts and checks may hold templates (template.h), replaced when a run
// starts.

struct McpServer {
  std::string url, name, authorization_token;  // the last two may be empty
  base::Span span;                             // of the key, in the suite
};

inline constexpr std::int64_t kDefaultThreads = 4;

struct Metadata {
  std::string name, model;
  std::string system_prompt;            // empty: none
  std::optional<std::int64_t> threads;  // requests in flight; none: kDefaultThreads, or the user's
  std::int64_t repeat = 1;              // samples of each eval
  double timeout = 60;                  // seconds for one request
  std::optional<double> temperature, top_p;
  std::optional<std::int64_t> max_output_tokens, seed;
  std::string judge_model, embedding_model;  // empty: the user's choice
  std::optional<McpServer> mcp_server;
};

struct Eval {
  std::string name;  // empty: none, and no formula can refer to it
  std::vector<std::string> tags;
  std::string prompt;
  std::int64_t repeat = 1;             // of each case
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
  std::optional<double> on_undefined;  // what an undefined score becomes; none: it stays undefined
  std::string rubric;      // the file of one, the suite's folder in front; empty: the default
  base::Span rubric_span;  // in the suite
};

struct Suite {
  Metadata metadata;
  std::vector<check::Check> default_checks;  // come first in every eval
  std::vector<Eval> evals;
  Score score;
  formula::Names names;
  formula::Program program;
};

}  // namespace vibe::suite
