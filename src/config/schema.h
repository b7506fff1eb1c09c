// Schema: the keys of a configuration file, section by section, and the variables of the
// environment. A row holds everything about one; the reader, the documentation and its tests are
// driven by the rows.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "check/fields.h"

namespace vibe::config {

using check::Field;
using check::Range;
using check::Section;
using check::Type;

inline constexpr std::string_view kDefaultJudge = "openai/gpt-4.1-mini";
inline constexpr Range kRate{0, 1e6};  // US dollars for a million tokens

inline constexpr std::array kConfigFields{
    Field{.name = "model",
          .type = Type::text,
          .takes = "`PROVIDER/MODEL`, `http:NAME`, `exec:COMMAND` or `replay:FILE`",
          .doc = "the model that `vibe init` writes into a new suite",
          .example = "model: openai/gpt-4o-mini"},
    Field{.name = "judge_model",
          .type = Type::text,
          .fallback = kDefaultJudge,
          .takes = "`PROVIDER/MODEL`, `http:NAME` or `exec:COMMAND`",
          .doc = "the model that `llm_judge` asks, where neither the check nor the suite says",
          .example = "judge_model: anthropic/claude-sonnet-4-5"},
    Field{.name = "embedding_model",
          .type = Type::text,
          .fallback = "local",
          .takes = "`local` or `PROVIDER/MODEL`",
          .doc = "where `semantic` has its embeddings from, where the suite does not say",
          .example = "embedding_model: openai/text-embedding-3-small"},
    Field{.name = "threads",
          .type = Type::integer,
          .range = {1, 1024},
          .doc = "requests in flight at a time, where neither a flag nor the suite says",
          .example = "threads: 8"},
    Field{.name = "budget",
          .type = Type::number,
          .range = {.least = 0},
          .doc = "US dollars that a run may cost",
          .example = "budget: 2.50"},
    Field{.name = "run_timeout",
          .type = Type::number,
          .range = {0, 604800, true},
          .doc = "seconds that a run may take",
          .example = "run_timeout: 3600"},
    Field{.name = "prices",
          .type = Type::map,
          .takes = "a table of models and their prices",
          .doc = "prices that come before those of the program; `*` in a name is any text",
          .example = "prices: {my-lab/small: {input: 0.1, output: 0.4}}"},
    Field{.name = "endpoints",
          .type = Type::map,
          .takes = "a table of names and endpoints; in `HOME/config.yaml` only",
          .doc = "OpenAI-compatible services: `NAME/MODEL` goes there",
          .example = "endpoints: {my-lab: {base_url: \"https://llm.example.com/v1\"}}"},
    Field{.name = "http",
          .type = Type::map,
          .takes = "a table of names and endpoints; in `HOME/config.yaml` only",
          .doc = "endpoints of any other kind: the model `http:NAME`",
          .example = "http: {mine: {url: \"https://x.example.com\", body: \"{{prompt}}\"}}"},
    Field{.name = "serve",
          .type = Type::map,
          .takes = "a table; in `HOME/config.yaml` only",
          .doc = "how `vibe serve` serves",
          .example = "serve: {host: 127.0.0.1, port: 8080}"},
};

inline constexpr std::array kEndpointFields{
    Field{.name = "base_url",
          .type = Type::text,
          .required = true,
          .takes = "an `http://` or `https://` address",
          .doc = "what comes before `/chat/completions`",
          .example = "base_url: \"https://llm.example.com/v1\""},
    Field{.name = "key_variable",
          .type = Type::text,
          .takes = "the name of a variable of the environment",
          .doc = "the variable that holds the key; without it none is sent",
          .example = "key_variable: MY_LAB_KEY"},
};

inline constexpr std::array kHttpFields{
    Field{.name = "method",
          .type = Type::text,
          .fallback = "POST",
          .takes = "`POST`, `PUT` or `PATCH`",
          .doc = "the request's method",
          .example = "method: PUT"},
    Field{.name = "url",
          .type = Type::text,
          .required = true,
          .takes = "an `http://` or `https://` address",
          .doc = "where the request goes; `${NAME}` is a variable of the environment",
          .example = "url: \"https://x.example.com/ask\""},
    Field{.name = "headers",
          .type = Type::map,
          .takes = "a table of names and texts",
          .doc = "the request's headers; `${NAME}` as above",
          .example = "headers: {Authorization: \"Bearer ${MY_KEY}\"}"},
    Field{.name = "body",
          .type = Type::text,
          .required = true,
          .takes = "text with `{{prompt}}` or `{{messages}}`",
          .doc = "the request's body; also `{{system}}`, and `${NAME}` as above",
          .example = "body: '{\"question\": \"{{prompt}}\"}'"},
    Field{.name = "answer",
          .type = Type::text_or_empty,
          .takes = "a JSON pointer",
          .doc = "where the answer stands in the response; without it all of it is the answer",
          .example = "answer: /choices/0/text"},
    Field{.name = "prompt_tokens",
          .type = Type::text_or_empty,
          .takes = "a JSON pointer",
          .doc = "where the tokens of the prompt stand",
          .example = "prompt_tokens: /usage/in"},
    Field{.name = "completion_tokens",
          .type = Type::text_or_empty,
          .takes = "a JSON pointer",
          .doc = "where the tokens of the answer stand",
          .example = "completion_tokens: /usage/out"},
    Field{.name = "cost",
          .type = Type::text_or_empty,
          .takes = "a JSON pointer",
          .doc = "where the cost in US dollars stands",
          .example = "cost: /usage/dollars"},
};

inline constexpr std::array kPriceFields{
    Field{.name = "input",
          .type = Type::number,
          .required = true,
          .range = kRate,
          .doc = "US dollars for a million tokens of the prompt",
          .example = "input: 0.15"},
    Field{.name = "output",
          .type = Type::number,
          .required = true,
          .range = kRate,
          .doc = "US dollars for a million tokens of the answer",
          .example = "output: 0.6"},
    Field{.name = "cache_read",
          .type = Type::number,
          .range = kRate,
          .fallback = "that of `input`",
          .doc = "for a million tokens of the prompt that the provider had cached",
          .example = "cache_read: 0.075"},
    Field{.name = "cache_write",
          .type = Type::number,
          .range = kRate,
          .fallback = "that of `input`",
          .doc = "for a million tokens of the prompt that the provider now caches",
          .example = "cache_write: 0.19"},
};

inline constexpr std::array kServeFields{
    Field{.name = "host",
          .type = Type::text,
          .fallback = "127.0.0.1",
          .takes = "an address or the name of one",
          .doc = "where it listens; an address that others can reach needs TLS",
          .example = "host: \"::1\""},
    Field{.name = "port",
          .type = Type::integer,
          .range = {0, 65535},
          .fallback = "8080",
          .doc = "the port; 0 is any that is free",
          .example = "port: 8443"},
    Field{.name = "tls_certificate",
          .type = Type::text,
          .takes = "a file in PEM form",
          .doc = "the server's certificate, and those between it and the root",
          .example = "tls_certificate: /etc/vibecheck/fullchain.pem"},
    Field{.name = "tls_key",
          .type = Type::text,
          .takes = "a file in PEM form",
          .doc = "the key of the certificate",
          .example = "tls_key: /etc/vibecheck/privkey.pem"},
    Field{.name = "access_log",
          .type = Type::text,
          .fallback = "standard error",
          .takes = "a file",
          .doc = "gets a line of JSON for each request",
          .example = "access_log: /var/log/vibecheck/access.jsonl"},
    Field{.name = "workers",
          .type = Type::integer,
          .range = {1, 256},
          .fallback = "4",
          .doc = "runs that are worked on at a time, of all organisations",
          .example = "workers: 8"},
    Field{.name = "lease",
          .type = Type::number,
          .range = {0.1, 3600},
          .fallback = "30",
          .doc = "seconds after which the run of a worker that is gone goes to another",
          .example = "lease: 10"},
    Field{.name = "max_connections",
          .type = Type::integer,
          .range = {1, 1'000'000},
          .fallback = "10000",
          .doc = "connections at a time; fewer where the system does not allow so many",
          .example = "max_connections: 2000"},
    Field{.name = "max_upload_mib",
          .type = Type::integer,
          .range = {1, 65536},
          .fallback = "256",
          .doc = "the largest log of executions that is taken, in MiB",
          .example = "max_upload_mib: 64"},
    Field{.name = "local_models",
          .type = Type::list,
          .takes = "a list of `exec:COMMAND` and `replay:FILE`",
          .doc = "the models of this machine that suites may name; without it none",
          .example = "local_models: [\"exec:/opt/agents/reviewer\"]"},
    Field{.name = "exec_checks",
          .type = Type::any,
          .fallback = "false",
          .takes = "`true` or `false`",
          .doc = "whether suites may run programs of this machine to judge answers",
          .example = "exec_checks: true"},
    Field{.name = "private_addresses",
          .type = Type::any,
          .fallback = "false",
          .takes = "`true` or `false`",
          .doc = "whether servers of tools may be on this machine or its networks",
          .example = "private_addresses: true"},
};

inline constexpr Section kConfigSection{"config", "the configuration", kConfigFields};
inline constexpr Section kEndpointSection{"endpoint", "the endpoint", kEndpointFields};
inline constexpr Section kHttpSection{"http", "the endpoint", kHttpFields};
inline constexpr Section kPriceSection{"price", "the price", kPriceFields};
inline constexpr Section kServeSection{"serve", "`serve`", kServeFields};

// Every section of a file, as the documentation has them.
inline constexpr std::array kSections{&kConfigSection, &kEndpointSection, &kHttpSection,
                                      &kPriceSection, &kServeSection};

// A variable of the environment that the program reads.
struct VariableRow {
  std::string_view name;
  std::string_view key;  // of the configuration, which it overrides; empty: none
  std::string_view doc;
};

inline constexpr std::array kVariables{
    VariableRow{"VIBECHECK_HOME", "", "`HOME`, the folder of settings and runs; `~/.vibecheck`"},
    VariableRow{"VIBECHECK_MODEL", "model", "the model of new suites"},
    VariableRow{"VIBECHECK_JUDGE_MODEL", "judge_model", "the model that `llm_judge` asks"},
    VariableRow{"VIBECHECK_EMBEDDING_MODEL", "embedding_model", "where embeddings come from"},
    VariableRow{"VIBECHECK_THREADS", "threads", "requests in flight at a time"},
    VariableRow{"VIBECHECK_BUDGET", "budget", "US dollars that a run may cost"},
    VariableRow{"VIBECHECK_RUN_TIMEOUT", "run_timeout", "seconds that a run may take"},
    VariableRow{"VIBECHECK_API_URL", "", "the server that commands talk to, instead of the store"},
    VariableRow{"VIBECHECK_API_KEY", "", "the key for that server"},
    VariableRow{"VIBECHECK_MASTER_KEY", "",
                "64 hex digits: what a server seals secrets with, instead of `HOME/secret.key`"},
    VariableRow{"OPENAI_API_KEY", "", "the key for `openai/NAME`"},
    VariableRow{"OPENAI_BASE_URL", "", "where `openai/NAME` goes instead"},
    VariableRow{"ANTHROPIC_API_KEY", "", "the key for `anthropic/NAME`"},
    VariableRow{"ANTHROPIC_BASE_URL", "", "where `anthropic/NAME` goes instead"},
    VariableRow{"OLLAMA_HOST", "", "where `ollama/NAME` goes instead"},
    VariableRow{"OPENROUTER_API_KEY", "", "the key for every other `PROVIDER/NAME`"},
    VariableRow{"OPENROUTER_BASE_URL", "", "where every other `PROVIDER/NAME` goes instead"},
    VariableRow{"http_proxy", "", "the proxy for `http://` addresses"},
    VariableRow{"https_proxy", "", "the proxy for `https://` addresses"},
    VariableRow{"no_proxy", "", "hosts that are reached without a proxy, with commas between"},
    VariableRow{"SSL_CERT_FILE", "", "the certificates that servers are trusted by"},
    VariableRow{"NO_COLOR", "", "anything: output without colours"},
    VariableRow{"VIBECHECK_RETRY_SCALE", "",
                "for tests: what the seconds before a retry are multiplied by"},
};

}  // namespace vibe::config
