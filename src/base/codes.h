// Every kind of diagnostic, one row each. The number never changes its meaning.
// A test fails for any row that no case in tests/cases/ or tests/cli/ shows.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace vibe::base {

enum class Severity : std::uint8_t { note, warning, error };

// What is at fault. Exit codes and HTTP status codes follow from it.
enum class Fault : std::uint8_t {
  input,     // the input, at a known place
  usage,     // how the command or request was written
  missing,   // something that does not exist was named
  conflict,  // something already exists, or is in the wrong state
  busy,      // another process has it
  limit,     // too many at a time
  credit,    // nothing left to spend
  setup,     // this machine lacks something
  world,     // disks, networks, other programs
};

// clang-format off
enum class Code : std::uint16_t {
  // formulas
  unknown_variable = 101, unknown_function, syntax, bad_character, bad_number, bad_string,
  chained_comparison, unbalanced, wrong_arity, wrong_argument, zero_division, undefined_value,
  metric_cycle, formula_limit, empty_formula, matches_nothing, bad_reference,
  ambiguous_hyphen = 151, constant_formula, constant_comparison, unused_eval,
  possible_zero_division = 171, assumed_eval,
  // YAML
  yaml_syntax = 201, not_text, duplicate_key, too_deep, bad_alias, alias_limit, too_large,
  several_documents, bad_key,
  // suites
  misspelt_key = 301, missing_key, wrong_type, out_of_range, bad_value, bad_name, duplicate_name,
  reserved_name, derived_name, empty_list, too_many, unknown_check, bad_pattern, bad_template,
  unknown_column, bad_case, unreadable_cases,
  unknown_keyword = 331, bad_schema, bad_schema_reference, schema_limit,
  unknown_key = 351, awkward_name, shadowed_name, unused_template, literal_token,
  pattern_reading = 371,
  // results from other harnesses
  bad_result_line = 401, bad_result_field, no_results, bad_archive, bad_document, mixed_results,
  no_such_result,
  result_without_eval = 451, eval_without_result, hidden_result_name, unscored_result,
  left_out,
  // the command line and files
  unknown_command = 501, unknown_option, bad_usage, cannot_read, cannot_write,
  no_summary = 551,
  // models and runs
  unknown_model = 601, missing_credential, bad_config, missing_program, unknown_name,
  bad_recording, missing_answer, nothing_selected, unknown_price, not_found, plan_changed,
  no_client,
  no_tools = 621, not_permitted,
  unpriced_model = 651, unlogged_model, few_repeats,
  // the store
  store_unusable = 701, store_newer, store_damaged, store_key, run_held, lease_lost,
  // agent logs
  unknown_log = 801, ambiguous_log, empty_log, no_log,
  skipped_file = 851,
  // fitness rubrics
  bad_grades = 901,
  weights_sum = 951, cannot_rescale,
  // trends, decisions and calibration
  no_fitness = 1001, bad_label, no_outcome, no_fit,
  unscored_execution = 1051, mixed_rubrics, within_noise, unmatched_label, little_known,
  repeated_session,
  // servers and clients
  cannot_listen = 1101, open_address, limit_reached, no_credit, conflict,
  unreachable_server = 1121, refused_key, refused_by_server, strange_server,
  unencrypted_key = 1151,
};
// clang-format on

struct CodeRow {
  Code code;
  Severity severity;
  std::string_view summary;
  Fault fault = Fault::input;
};

inline constexpr std::array kCodes{
    CodeRow{Code::unknown_variable, Severity::error,
            "a name that is not an eval, a metric or a run-wide metric"},
    CodeRow{Code::unknown_function, Severity::error, "a call to a function that does not exist"},
    CodeRow{Code::syntax, Severity::error, "a syntax error: something else was expected"},
    CodeRow{Code::bad_character, Severity::error, "a character that formulas do not use"},
    CodeRow{Code::bad_number, Severity::error, "a malformed number, or one too large for a double"},
    CodeRow{Code::bad_string, Severity::error, "an unterminated string"},
    CodeRow{Code::chained_comparison, Severity::error, "a chained comparison"},
    CodeRow{Code::unbalanced, Severity::error, "an unmatched parenthesis"},
    CodeRow{Code::wrong_arity, Severity::error, "too few or too many arguments"},
    CodeRow{Code::wrong_argument, Severity::error,
            "an argument of the wrong kind, or outside its range"},
    CodeRow{Code::zero_division, Severity::error, "a denominator that is certainly zero"},
    CodeRow{Code::undefined_value, Severity::error, "a value that is certainly undefined"},
    CodeRow{Code::metric_cycle, Severity::error, "metrics that depend on each other"},
    CodeRow{Code::formula_limit, Severity::error,
            "a formula or a set of metrics that exceeds a limit"},
    CodeRow{Code::empty_formula, Severity::error, "an empty formula"},
    CodeRow{Code::matches_nothing, Severity::error, "a glob or tag that no eval can match"},
    CodeRow{Code::bad_reference, Severity::error,
            "a malformed `{name}`, or a latency or cost that it does not have"},
    CodeRow{Code::ambiguous_hyphen, Severity::warning,
            "a name with a hyphen that could also be a subtraction"},
    CodeRow{Code::constant_formula, Severity::warning,
            "a formula that uses no variable and no aggregate"},
    CodeRow{Code::constant_comparison, Severity::warning,
            "a comparison that is always true or always false"},
    CodeRow{Code::unused_eval, Severity::warning,
            "a named eval that no formula uses, although others are used"},
    CodeRow{Code::possible_zero_division, Severity::note,
            "a denominator that can be zero in a real run"},
    CodeRow{Code::assumed_eval, Severity::note,
            "a name assumed to be an eval, because there is no suite"},

    CodeRow{Code::yaml_syntax, Severity::error, "text that is not valid YAML"},
    CodeRow{Code::not_text, Severity::error, "bytes that are not UTF-8 text"},
    CodeRow{Code::duplicate_key, Severity::error, "a duplicate key"},
    CodeRow{Code::too_deep, Severity::error, "nesting deeper than the limit"},
    CodeRow{Code::bad_alias, Severity::error,
            "an alias without an anchor, or inside its own anchor"},
    CodeRow{Code::alias_limit, Severity::error, "aliases that expand without bound"},
    CodeRow{Code::too_large, Severity::error, "a file over the size limit"},
    CodeRow{Code::several_documents, Severity::error, "more than one YAML document, or none"},
    CodeRow{Code::bad_key, Severity::error, "a key that is not plain text"},

    CodeRow{Code::misspelt_key, Severity::error, "an unknown key within two edits of a known one"},
    CodeRow{Code::missing_key, Severity::error, "a missing required key"},
    CodeRow{Code::wrong_type, Severity::error, "a value of the wrong type"},
    CodeRow{Code::out_of_range, Severity::error, "a number outside its range"},
    CodeRow{Code::bad_value, Severity::error, "a value that is not allowed"},
    CodeRow{Code::bad_name, Severity::error, "a malformed eval or metric name"},
    CodeRow{Code::duplicate_name, Severity::error, "a name that is already taken"},
    CodeRow{Code::reserved_name, Severity::error, "a name that the formula language reserves"},
    CodeRow{Code::derived_name, Severity::error,
            "a name that clashes with another eval's latency or cost"},
    CodeRow{Code::empty_list, Severity::error, "a list or table that needs at least one entry"},
    CodeRow{Code::too_many, Severity::error, "more evals, cases or levels than the limit"},
    CodeRow{Code::unknown_check, Severity::error, "a check of an unknown kind"},
    CodeRow{Code::bad_pattern, Severity::error, "a regular expression that RE2 does not accept"},
    CodeRow{Code::bad_template, Severity::error, "a malformed `{{…}}`"},
    CodeRow{Code::unknown_column, Severity::error,
            "a template for a column that the cases do not have"},
    CodeRow{Code::bad_case, Severity::error, "a malformed case"},
    CodeRow{Code::unreadable_cases, Severity::error, "a cases file that cannot be read"},
    CodeRow{Code::unknown_keyword, Severity::error, "an unknown JSON Schema keyword"},
    CodeRow{Code::bad_schema, Severity::error, "a JSON Schema keyword with a wrong value"},
    CodeRow{Code::bad_schema_reference, Severity::error,
            "an unresolved or circular JSON Schema reference, or a duplicate anchor"},
    CodeRow{Code::schema_limit, Severity::error, "a JSON Schema that exceeds a limit"},
    CodeRow{Code::unknown_key, Severity::warning, "an unknown key"},
    CodeRow{Code::awkward_name, Severity::warning, "a name that must be written as `{name}`"},
    CodeRow{Code::shadowed_name, Severity::warning,
            "an eval whose latency or cost is hidden by a run-wide metric of the same name"},
    CodeRow{Code::unused_template, Severity::warning, "a `{{column}}` in an eval without cases"},
    CodeRow{Code::literal_token, Severity::warning, "a token written directly in the suite"},
    CodeRow{Code::pattern_reading, Severity::note,
            "a `match` pattern read as a regular expression"},

    CodeRow{Code::bad_result_line, Severity::error, "a line that is not a JSON object"},
    CodeRow{Code::bad_result_field, Severity::error,
            "a field of the wrong type, or outside its range"},
    CodeRow{Code::no_results, Severity::error, "a results file without any result"},
    CodeRow{Code::bad_archive, Severity::error,
            "a damaged compressed file or archive (gzip, zstd, zip)"},
    CodeRow{Code::bad_document, Severity::error,
            "another tool's document that is damaged, or has an unknown version"},
    CodeRow{Code::mixed_results, Severity::error,
            "results from several models, prompts or scorers, none of which is selected"},
    CodeRow{Code::no_such_result, Severity::error,
            "a selected model, prompt or scorer that is not in the results"},
    CodeRow{Code::result_without_eval, Severity::warning,
            "results for an eval that is not in the suite"},
    CodeRow{Code::eval_without_result, Severity::warning, "an eval in the suite without results"},
    CodeRow{Code::hidden_result_name, Severity::warning,
            "a name in results that formulas use for something else"},
    CodeRow{Code::unscored_result, Severity::warning,
            "results without a score, or an unfinished run"},
    CodeRow{Code::left_out, Severity::warning,
            "a part of another tool's configuration that a suite cannot express"},

    CodeRow{Code::unknown_command, Severity::error, "an unknown command"},
    CodeRow{Code::unknown_option, Severity::error, "an unknown option"},
    CodeRow{Code::bad_usage, Severity::error, "a missing, extra or malformed argument",
            Fault::usage},
    CodeRow{Code::cannot_read, Severity::error, "a file that cannot be read"},
    CodeRow{Code::cannot_write, Severity::error, "output that cannot be written", Fault::world},
    CodeRow{Code::no_summary, Severity::warning, "a CI step summary that cannot be written"},

    CodeRow{Code::unknown_model, Severity::error, "a model without a known provider"},
    CodeRow{Code::missing_credential, Severity::error, "a model whose key is not set"},
    CodeRow{Code::bad_config, Severity::error, "a setting that cannot be used"},
    CodeRow{Code::missing_program, Severity::error, "a check whose program does not exist"},
    CodeRow{Code::unknown_name, Severity::error, "a variable or secret that is not set"},
    CodeRow{Code::bad_recording, Severity::error, "a malformed line in a recording"},
    CodeRow{Code::missing_answer, Severity::error, "a recording without the answer to a prompt"},
    CodeRow{Code::nothing_selected, Severity::error, "a selection that matches no eval"},
    CodeRow{Code::unknown_price, Severity::error, "a budget for a model whose price is unknown"},
    CodeRow{Code::not_found, Severity::error,
            "a run, suite, variable or secret that does not exist", Fault::missing},
    CodeRow{Code::plan_changed, Severity::error,
            "a run whose suite or cases have changed since it started"},
    CodeRow{Code::no_client, Severity::error, "the HTTP library cannot be loaded", Fault::setup},
    CodeRow{Code::no_tools, Severity::error,
            "a tool server that cannot be used, or a model that cannot call tools"},
    CodeRow{Code::not_permitted, Severity::error,
            "a program, a file or an address that suites may not use on this server"},
    CodeRow{Code::unpriced_model, Severity::warning, "a model whose price is unknown"},
    CodeRow{Code::unlogged_model, Severity::warning,
            "a formula that uses `fitness`, with a model that does not write a log"},
    CodeRow{Code::few_repeats, Severity::warning,
            "`pass_at(k)` or `pass_all(k)` with fewer than k answers to an eval"},

    CodeRow{Code::store_unusable, Severity::error, "a store that cannot be opened or written",
            Fault::world},
    CodeRow{Code::store_newer, Severity::error, "a store written by a newer version of vibe",
            Fault::world},
    CodeRow{Code::store_damaged, Severity::error, "a damaged store, or a file that is not a store",
            Fault::world},
    CodeRow{Code::store_key, Severity::error, "secrets that the key file cannot decrypt",
            Fault::world},
    CodeRow{Code::run_held, Severity::error, "a run that another process is executing",
            Fault::busy},
    CodeRow{Code::lease_lost, Severity::error, "a run that another worker has taken over",
            Fault::busy},

    CodeRow{Code::unknown_log, Severity::error, "a file that is not a log in a known format"},
    CodeRow{Code::ambiguous_log, Severity::error, "a log that fits several formats"},
    CodeRow{Code::empty_log, Severity::error, "a log without any usable event"},
    CodeRow{Code::no_log, Severity::error, "no log was given, and no session was found"},
    CodeRow{Code::skipped_file, Severity::warning, "a file in a folder that is not a log"},

    CodeRow{Code::bad_grades, Severity::error,
            "grades that overlap or are not in order, or scores without a grade"},
    CodeRow{Code::weights_sum, Severity::warning, "rubric weights that do not add up to 1"},
    CodeRow{Code::cannot_rescale, Severity::warning,
            "`undefined: rescale` with a formula that is not a sum of NUMBER * term"},

    CodeRow{Code::no_fitness, Severity::error, "an invalid score, or executions without any score"},
    CodeRow{Code::bad_label, Severity::error,
            "an outcome label that cannot be read, or contradicts another"},
    CodeRow{Code::no_outcome, Severity::error, "labels that match no session"},
    CodeRow{Code::no_fit, Severity::error, "outcomes that no weights can be fitted to"},
    CodeRow{Code::unscored_execution, Severity::warning,
            "executions without a score, which are left out"},
    CodeRow{Code::mixed_rubrics, Severity::warning,
            "scores from different rubrics in one comparison"},
    CodeRow{Code::within_noise, Severity::warning,
            "a significant change that could be due to chance"},
    CodeRow{Code::unmatched_label, Severity::warning,
            "labels for sessions that are not in the logs"},
    CodeRow{Code::little_known, Severity::warning,
            "scores based on less than half of the rubric's weights"},
    CodeRow{Code::repeated_session, Severity::warning,
            "sessions that occur several times in the logs but count once"},

    CodeRow{Code::cannot_listen, Severity::error, "an address that the server cannot listen on",
            Fault::world},
    CodeRow{Code::open_address, Severity::error,
            "an address that other machines can reach, without TLS"},
    CodeRow{Code::limit_reached, Severity::error, "an organisation that has reached a limit",
            Fault::limit},
    CodeRow{Code::no_credit, Severity::error, "an organisation that has spent its credits",
            Fault::credit},
    CodeRow{Code::conflict, Severity::error,
            "something that already exists, or is in the wrong state", Fault::conflict},
    CodeRow{Code::unreachable_server, Severity::error, "a vibe server that does not respond",
            Fault::world},
    CodeRow{Code::refused_key, Severity::error,
            "a key that the server does not know, or that lacks the required role"},
    CodeRow{Code::refused_by_server, Severity::error, "a request that the server refused"},
    CodeRow{Code::strange_server, Severity::error,
            "a server whose responses this version does not understand", Fault::world},
    CodeRow{Code::unencrypted_key, Severity::warning, "a key sent over a network without TLS"},
};

constexpr const CodeRow& row_of(Code code) {
  for (const auto& row : kCodes)
    if (row.code == code) return row;
  std::abort();  // a code without a row
}
constexpr Severity severity_of(Code code) { return row_of(code).severity; }
constexpr Fault fault_of(Code code) { return row_of(code).fault; }

std::string to_string(Code code);  // `E0101`, `W0151`, `N0171`
std::string_view to_string(Severity severity);

}  // namespace vibe::base
