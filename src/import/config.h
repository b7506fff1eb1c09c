// Config: what a promptfoo config says, as far as it can be carried over: prompts, models, and
// tests with everything that applies to them merged. What is not carried over is said where it
// would be.
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
  std::string text, label;          // templates as ours; no text: it has to be written
  std::vector<std::string> names;   // of the variables that it uses
  std::vector<std::string> losses;  // what is not carried over
};

struct Test {
  std::string description;
  std::vector<std::pair<std::string, std::string>> vars;  // in the order of the file
  std::vector<std::string> lost_vars;                     // names of those without a value
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
  // Of the whole, of `metadata`, of the prompts.
  std::vector<std::string> losses, model_losses, prompt_losses;
};

// None after an error.
std::optional<Config> read_config(const base::SourcePtr& source, const ReadFile& read_file,
                                  base::Diagnostics& out);

}  // namespace vibe::import
