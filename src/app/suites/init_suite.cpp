#include "app/suites/init_suite.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include <fmt/format.h>

#include "app/write_new_file.h"
#include "base/text.h"
#include "base/yaml_text.h"

namespace vibe::app {

using base::Code;

namespace {

// A cheap model of each provider, in the order in which vibe looks for keys.
struct Choice {
  std::string_view key_variable, model;
};
constexpr Choice kChoices[] = {
    {"ANTHROPIC_API_KEY", "anthropic/claude-haiku-4-5"},
    {"OPENAI_API_KEY", "openai/gpt-4o-mini"},
    {"OPENROUTER_API_KEY", "openai/gpt-4o-mini"},
};

constexpr std::string_view kWithKey =
    R"(# A suite: what is asked, what the answers must be, how the results become one score.
# `vibe validate {2}` checks it, `vibe check {2}` runs it.
metadata:
  name: {0}
  model: {1}
  # system_prompt: You are terse.
  threads: 4              # requests in flight at a time
  repeat: 3               # how often each eval is sent: answers vary

evals:
  - name: arithmetic
    tags: [math]
    prompt: What is 15 * 7? Answer with the number only.
    checks:               # all of them must pass
      - match: "*105*"    # a glob for the whole answer: `*` is any run of characters
      - max_tokens: 20

  - name: capitals        # one eval over a table of cases
    prompt: What is the capital of {{{{country}}}}? Answer with its name only.
    cases:
      - {{country: France, city: Paris}}
      - {{country: Vietnam, city: Hanoi}}
    checks:
      - match: "*{{{{city}}}}*"
      - max_latency: 10   # seconds

score:                    # correctness first, then thrift
  formula: (arithmetic * 2 + capitals) / 3 * 100 - 10 * total_cost
  min: 60                 # below it `vibe check` exits with 1
)";

constexpr std::string_view kWithoutKey =
    R"(# A suite: what is asked, what the answers must be, how the results become one score.
# `vibe validate {2}` checks it, `vibe check {2}` runs it.
metadata:
  name: {0}
  # No provider key is set, so a program on this machine answers: `cat` repeats the prompt.
  # Put your own agent here (prompt on standard input, answer on standard output), or set a key
  # (OPENAI_API_KEY, ANTHROPIC_API_KEY, OPENROUTER_API_KEY) and write, say, `openai/gpt-4o-mini`.
  model: {1}
  threads: 4              # requests in flight at a time
  repeat: 3               # how often each eval is sent: answers vary

evals:
  - name: greeting
    tags: [manners]
    prompt: Say hello to Ada.
    checks:               # all of them must pass
      - match: "*hello*"  # a glob for the whole answer: `*` is any run of characters
      - max_tokens: 20

  - name: capitals        # one eval over a table of cases
    prompt: "{{{{city}}}} is the capital of {{{{country}}}}. What is the capital of {{{{country}}}}?"
    cases:
      - {{country: France, city: Paris}}
      - {{country: Vietnam, city: Hanoi}}
    checks:
      - match: "*{{{{city}}}}*"
      - max_latency: 10   # seconds

score:                    # correctness first, then speed
  formula: (greeting + capitals * 2) / 3 * 100 - avg_latency
  min: 60                 # below it `vibe check` exits with 1
)";

bool is_letter(char c) { return base::lower_ascii(c) >= 'a' && base::lower_ascii(c) <= 'z'; }
bool is_plain(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') ||
         std::string_view("_-./:").find(c) != std::string_view::npos;
}

// A suite's name cannot be blank, and in double braces it would be a template.
std::string suite_name(const std::string& path) {
  const std::string stem = std::filesystem::path(path).stem().string();
  const bool fits = !base::trim(stem).empty() && stem.find("{{") == std::string::npos;
  return fits ? stem : "my-suite";
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return base::printable(out + "'");
}

std::string starter_suite(std::string_view path, std::string_view name, std::string_view model,
                          bool has_key) {
  return fmt::format(fmt::runtime(has_key ? kWithKey : kWithoutKey), base::yaml_text(name),
                     base::yaml_text(model), shell_word(path));
}

base::Result<Started> init_suite(const std::string& path, bool replace,
                                 const config::Config& config) {
  if (!path.ends_with(".yaml") && !path.ends_with(".yml"))
    return base::fail(Code::bad_usage, {},
                      fmt::format("`{}` is not a suite file name", base::printable(path)),
                      "end it with `.yaml`");
  Started out{path, "exec:cat", false};
  for (const auto& choice : kChoices) {
    if (out.has_key || !config::variable(config, choice.key_variable)) continue;
    out.model = choice.model;
    out.has_key = true;
  }
  if (config.model) {
    out.model = *config.model;
    out.has_key = true;
  }
  const std::string text = starter_suite(path, suite_name(path), out.model, out.has_key);
  VIBE_TRY(write_new_file(path, text, replace));
  return out;
}

}  // namespace vibe::app
