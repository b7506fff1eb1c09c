// Config: what a configuration of promptfoo says, as far as it can be carried over: prompts,
// models, and tests with everything that applies to them merged.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "import/assertion.h"
#include "import/promptfoo.h"

namespace vibe::import {

struct Prompt {
  std::string text, label;          // templates as ours
  std::vector<std::string> names;   // of the variables that it uses
  std::vector<std::string> losses;  // what is not carried over
};

struct Test {
  std::string description;
  std::vector<std::pair<std::string, std::string>> vars;  // in the order of the file
  std::vector<std::string> tags;
  std::vector<std::string> losses;
  Lines checks;
  std::vector<std::string> names;  // of the variables that the checks use
};

struct Config {
  std::string description, system_prompt;
  std::vector<std::string> models;
  std::vector<std::pair<std::string, std::string>> settings;  // of `metadata`: `temperature: 0`
  std::vector<Prompt> prompts;
  std::vector<Test> tests;
  std::vector<std::string> losses;  // of the whole
};

// None after an error.
std::optional<Config> read_config(const base::SourcePtr& source, const ReadFile& read_file,
                                  base::Diagnostics& out);

// Rows of cells, by RFC 4180.
std::vector<std::vector<std::string>> read_csv(std::string_view text);

}  // namespace vibe::import
