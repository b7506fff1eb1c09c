// Check: one condition on a response, as plain data from a suite. Independent of YAML. Does not
// judge: judge.h does, with the rows below. Immutable once read; safe to share between threads.
//
// To add a kind: add its row to kCheckKinds, put its read and judge functions into a new file, and
// add a type for its arguments below if none fits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/source.h"
#include "base/yaml.h"
#include "check/fields.h"
#include "score/verdict.h"

namespace vibe::check {

enum class CheckType : std::uint8_t {
  equals,
  exec,
  glob,
  json,
  llm_judge,
  match,
  max_cost,
  max_latency,
  max_tokens,
  min_tokens,
  not_match,
  or_,
  regex,
  semantic,
  tool_called,
};

// What must be collected before a check can be judged (evidence.h).
enum class Needs : std::uint8_t { nothing, embeddings, judge, program };

struct Check;

struct Pattern {
  enum class Kind : std::uint8_t { glob, regex };
  std::string text;
  Kind kind = Kind::glob;
  bool has_template = false;  // its final text is known only when a run starts
};

struct Patterns {
  std::vector<Pattern> all;  // every one must hold
};
struct Limit {
  double value = 0;  // tokens, seconds or US dollars
};
struct Text {
  std::string text;
};
struct Similarity {
  std::string expected;
  double threshold = 0;
};
struct Judgement {
  std::string criteria;
  std::string model{};                // empty: the suite's or the user's judge
  std::optional<double> threshold{};  // for a grade from 0 to 1; none: the judge says yes or no
  std::int64_t repeat = 1;            // how often the judge is asked
};
struct Json {
  std::string schema;  // as JSON text; empty: any JSON passes
};
struct Command {
  std::vector<std::string> argv;
  double timeout = 30;  // seconds
};
struct ToolUse {
  std::string name;
  std::string args;  // JSON text of an object that the arguments must contain; empty: any
};
struct Alternative {
  std::vector<Check> all;  // passes if every check in it does
};
struct AnyOf {
  std::vector<Alternative> alternatives;
};

using Arguments =
    std::variant<Patterns, Limit, Text, Similarity, Judgement, Json, Command, ToolUse, AnyOf>;

struct Check {
  CheckType type = CheckType::match;
  Arguments arguments;
  base::Span span;  // of its name, in the suite
};

// What checks find is a part of a result, and of its score.
using score::Finding;
using score::Judged;
using score::Verdict;

struct CheckKind;
class Judging;
using JudgeCheck = Finding (*)(const Check& check, Judging& judging);
using ReadCheck = std::optional<Arguments> (*)(const CheckKind& kind, const base::YamlNode& value,
                                               Reading& reading);

struct CheckKind {
  std::string_view name;
  CheckType type;
  std::string_view takes;    // what its value is, in words
  std::string_view summary;  // when it passes
  std::string_view example;  // a check in YAML, on one line
  ReadCheck read;            // reports problems with the value
  JudgeCheck judge;
  Needs needs = Needs::nothing;
};

std::optional<Arguments> read_any_of(const CheckKind&, const base::YamlNode&, Reading&);
std::optional<Arguments> read_amount(const CheckKind&, const base::YamlNode&, Reading&);
std::optional<Arguments> read_equals(const CheckKind&, const base::YamlNode&, Reading&);
std::optional<Arguments> read_exec(const CheckKind&, const base::YamlNode&, Reading&);
std::optional<Arguments> read_json(const CheckKind&, const base::YamlNode&, Reading&);
std::optional<Arguments> read_llm_judge(const CheckKind&, const base::YamlNode&, Reading&);
std::optional<Arguments> read_pattern(const CheckKind&, const base::YamlNode&, Reading&);
std::optional<Arguments> read_patterns(const CheckKind&, const base::YamlNode&, Reading&);
std::optional<Arguments> read_semantic(const CheckKind&, const base::YamlNode&, Reading&);
std::optional<Arguments> read_tokens(const CheckKind&, const base::YamlNode&, Reading&);
std::optional<Arguments> read_tool_called(const CheckKind&, const base::YamlNode&, Reading&);

Finding judge_any_of(const Check&, Judging&);
Finding judge_cost(const Check&, Judging&);
Finding judge_equals(const Check&, Judging&);
Finding judge_exec(const Check&, Judging&);
Finding judge_json(const Check&, Judging&);
Finding judge_latency(const Check&, Judging&);
Finding judge_llm_judge(const Check&, Judging&);
Finding judge_patterns(const Check&, Judging&);
Finding judge_semantic(const Check&, Judging&);
Finding judge_tokens(const Check&, Judging&);
Finding judge_tool_called(const Check&, Judging&);

inline constexpr std::array kCheckKinds{
    CheckKind{"equals", CheckType::equals, "text", "the trimmed response equals the text",
              "equals: \"42\"", read_equals, judge_equals},
    CheckKind{"exec", CheckType::exec, "`command`: a list of words",
              "the command gets the response on standard input and exits with 0",
              "exec: {command: [grep, -q, Paris]}", read_exec, judge_exec, Needs::program},
    CheckKind{"glob", CheckType::glob, "a glob, or a list of them",
              "the whole response matches every glob, ignoring case; unlike `match`, never a "
              "regular expression",
              "glob: \"*[0-9]*\"", read_patterns, judge_patterns},
    CheckKind{"json", CheckType::json, "`true`, or `schema`: a JSON Schema",
              "the response, or its only fenced block, parses as JSON and matches the schema",
              "json: {schema: {type: object, required: [city]}}", read_json, judge_json},
    CheckKind{"llm_judge", CheckType::llm_judge, "`criteria`: text",
              "a judge model finds that the response meets the criteria",
              "llm_judge: {criteria: is polite and offers help}", read_llm_judge, judge_llm_judge,
              Needs::judge},
    CheckKind{
        "match", CheckType::match, "a glob, or a list of them",
        "the whole response matches every glob (`*` is any text, `?` one character), ignoring case",
        "match: \"*105*\"", read_patterns, judge_patterns},
    CheckKind{"max_cost", CheckType::max_cost, "US dollars, at least 0",
              "the sample costs at most this much", "max_cost: 0.002", read_amount, judge_cost},
    CheckKind{"max_latency", CheckType::max_latency, "seconds, more than 0",
              "the response took at most this long", "max_latency: 2.5", read_amount,
              judge_latency},
    CheckKind{"max_tokens", CheckType::max_tokens, "a whole number, at least 0",
              "the response has at most this many tokens", "max_tokens: 50", read_tokens,
              judge_tokens},
    CheckKind{"min_tokens", CheckType::min_tokens, "a whole number, at least 0",
              "the response has at least this many tokens", "min_tokens: 5", read_tokens,
              judge_tokens},
    CheckKind{"not_match", CheckType::not_match, "a glob, or a list of them",
              "the response matches none of the globs", "not_match: [\"*sorry*\", \"*as an ai*\"]",
              read_patterns, judge_patterns},
    CheckKind{"or", CheckType::or_, "a list of checks", "at least one of its checks passes",
              "or: [{match: \"*blue*\"}, {match: \"*azure*\"}]", read_any_of, judge_any_of},
    CheckKind{"regex", CheckType::regex, "an RE2 regular expression",
              "the expression is found in the response", "regex: '(?i)\\bPRJ-[0-9]+\\b'",
              read_pattern, judge_patterns},
    CheckKind{"semantic", CheckType::semantic, "`expected`: text, `threshold`: 0 to 1",
              "the response's meaning is at least this close to the expected text (cosine "
              "similarity of embeddings)",
              "semantic: {expected: the sky is blue, threshold: 0.8}", read_semantic,
              judge_semantic, Needs::embeddings},
    CheckKind{"tool_called", CheckType::tool_called, "`name`: text, `args`: a table",
              "the model called the tool, with at least these arguments",
              "tool_called: {name: search, args: {query: weather}}", read_tool_called,
              judge_tool_called},
};

consteval bool sorted_by_name(const auto& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (!(rows[i - 1].name < rows[i].name)) return false;
  return true;
}
static_assert(sorted_by_name(kCheckKinds), "keep the kinds sorted by name");

consteval bool in_order_of_type(const auto& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (static_cast<std::size_t>(rows[i].type) != i) return false;
  return true;
}
static_assert(in_order_of_type(kCheckKinds), "keep CheckType in the order of the rows");

const CheckKind* find_check_kind(std::string_view name);
constexpr const CheckKind& kind_of(CheckType type) {
  return kCheckKinds[static_cast<std::size_t>(type)];
}

// Reads the keys of a kind that only takes a mapping; none, with an error, for any other value.
std::optional<Fields> read_table(const CheckKind&, const Section&, const base::YamlNode&, Reading&);

// The keys of the kinds that take a mapping.
inline constexpr std::array kExecFields{
    Field{.name = "command",
          .type = Type::list,
          .required = true,
          .takes = "a list of words",
          .doc = "the program and its arguments; no shell is involved",
          .example = "command: [python3, check.py]"},
    Field{.name = "timeout",
          .type = Type::number,
          .range = {0, 3600, true},
          .fallback = "30",
          .doc = "time limit in seconds",
          .example = "timeout: 5"},
};
inline constexpr std::array kJsonFields{
    Field{.name = "schema",
          .type = Type::map,
          .takes = "a JSON Schema",
          .doc = "the schema that the JSON must match",
          .example = "schema: {type: object}"},
};
inline constexpr std::array kLlmJudgeFields{
    Field{.name = "criteria",
          .type = Type::text,
          .required = true,
          .doc = "what the judge model looks for",
          .example = "criteria: is polite"},
    Field{.name = "model",
          .type = Type::text,
          .fallback = "`judge_model` in `metadata`",
          .takes = "`PROVIDER/MODEL`, `http:NAME` or `exec:COMMAND`",
          .doc = "the judge model",
          .example = "model: anthropic/claude-sonnet-4-5"},
    Field{.name = "threshold",
          .type = Type::number,
          .range = {0, 1},
          .doc = "the judge gives a grade from 0 to 1, and the check passes at this grade or "
                 "above; without it, the judge says yes or no",
          .example = "threshold: 0.7"},
    Field{.name = "repeat",
          .type = Type::integer,
          .range = {1, 25},
          .fallback = "1",
          .doc = "how many times the judge is asked; the majority decides",
          .example = "repeat: 3"},
};
inline constexpr std::array kSemanticFields{
    Field{.name = "expected",
          .type = Type::text,
          .required = true,
          .doc = "text with the same meaning",
          .example = "expected: the sky is blue"},
    Field{.name = "threshold",
          .type = Type::number,
          .required = true,
          .range = {0, 1},
          .doc = "the minimum similarity",
          .example = "threshold: 0.8"},
};
inline constexpr std::array kToolCalledFields{
    Field{.name = "name",
          .type = Type::text,
          .required = true,
          .doc = "the tool",
          .example = "name: search"},
    Field{.name = "args",
          .type = Type::map,
          .takes = "a table",
          .doc = "arguments that the call must contain; it may have others",
          .example = "args: {query: weather}"},
};
inline constexpr Section kExecSection{"exec", "`exec`", kExecFields};
inline constexpr Section kJsonSection{"json", "`json`", kJsonFields};
inline constexpr Section kLlmJudgeSection{"llm_judge", "`llm_judge`", kLlmJudgeFields};
inline constexpr Section kSemanticSection{"semantic", "`semantic`", kSemanticFields};
inline constexpr Section kToolCalledSection{"tool_called", "`tool_called`", kToolCalledFields};

}  // namespace vibe::check
