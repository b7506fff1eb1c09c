// Config: the parts of a promptfoo config that can be carried over: prompts, models, and tests
// with everything that applies to them merged. Losses are noted at the place they belong to.
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
  std::string text, label;          // with vibe templates; no text: the user has to write it
  std::vector<std::string> names;   // of the variables it uses
  std::vector<std::string> losses;  // what is not carried over
};

struct Test {
  std::string description;
  std::vector<std::pair<std::string, std::string>> vars;  // in file order
  std::vector<std::string> lost_vars;                     // names of variables without a value
  std::vector<std::string> tags;
  std::vector<std::string> losses;
  Lines checks;
  std::vector<std::string> names;  // of the variables its checks use
};

struct Config {
  std::string description, system_prompt;
  std::vector<std::string> models;
  std::vector<std::pair<std::string, std::string>> settings;  // of `metadata`: `temperature: 0`
  std::vector<Prompt> prompts;
  std::vector<Test> tests;
  // Losses of the whole config, of `metadata`, of the prompts.
  std::vector<std::string> losses, model_losses, prompt_losses;
};

// None after an error.
std::optional<Config> read_config(const base::SourcePtr& source, const ReadFile& read_file,
                                  base::Diagnostics& out);

}  // namespace vibe::import
