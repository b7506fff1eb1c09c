// Formats of results: each is a file in this folder and a row in results.cpp. A format is detected
// from a file's content, never from its name.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/file.h"
#include "score/samples.h"

namespace vibe::results {

// Selects results in a file that has several models, prompts or scorers.
struct Choice {
  std::optional<std::string> provider, prompt, scorer;
  std::optional<double> pass_at;  // the lowest score that is a pass
};

// What the beginning of a file shows.
struct Glance {
  struct Member {
    std::string name;
    char begins = 0;  // the first character of its value
  };
  bool zip = false;
  std::vector<Member> members;  // of the first JSON object, as far as it was seen
  bool has(std::string_view name, char begins = 0) const;  // 0: with any value
  bool is_list = false;                                    // a JSON list
  std::vector<Member> first_item;                          // members of the list's first item
  std::vector<std::string> columns;                        // of a table, from its first line
};
bool has_member(std::span<const Glance::Member> members, std::string_view name, char begins = 0);
Glance glance(std::string_view head);

struct ResultsFormat {
  std::string_view name, summary;
  bool takes_provider, takes_prompt, takes_scorer;  // the options that select its results
  bool (*fits)(const Glance&);
  // Adds the samples; problems go to the diagnostics.
  void (*read)(base::Input, const Choice&, score::Samples&, base::Diagnostics&);
};

bool is_run(const Glance& glance);
void read_run(base::Input input, const Choice& choice, score::Samples& samples,
              base::Diagnostics& out);
bool is_run_table(const Glance& glance);
void read_run_table(base::Input input, const Choice& choice, score::Samples& samples,
                    base::Diagnostics& out);
bool is_promptfoo(const Glance& glance);
void read_promptfoo(base::Input input, const Choice& choice, score::Samples& samples,
                    base::Diagnostics& out);
bool is_promptfoo_lines(const Glance& glance);
void read_promptfoo_lines(base::Input input, const Choice& choice, score::Samples& samples,
                          base::Diagnostics& out);
bool is_inspect(const Glance& glance);
void read_inspect(base::Input input, const Choice& choice, score::Samples& samples,
                  base::Diagnostics& out);
bool is_inspect_archive(const Glance& glance);
void read_inspect_archive(base::Input input, const Choice& choice, score::Samples& samples,
                          base::Diagnostics& out);

}  // namespace vibe::results
