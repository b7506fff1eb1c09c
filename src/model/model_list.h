// ModelList: the models that are known, as they are listed: their prices, who answers for them and
// the key that it takes. Plain data.
#pragma once

#include <string>
#include <vector>

#include "price/price.h"

namespace vibe::model {

struct KnownModel {
  price::ModelRow row;
  std::string provider;      // who would answer; empty: nobody
  std::string key_variable;  // of the environment; empty: needs none
  bool key_set = false;
  bool runnable = false;                  // who would answer has it, and its key is there
  std::string same_as{};                  // the id by its own name, where this is another's
  std::vector<std::string> parameters{};  // that requests can set: `tools`, `temperature`, …
};

// A form of names that stands for models without a row: `ollama/NAME`.
struct ModelForm {
  std::string form, summary;
  std::string key_variable;
  bool key_set = false;
};

struct ModelList {
  std::vector<KnownModel> models;  // by id
  std::vector<ModelForm> forms;    // endpoints of the configuration first
  std::string date, origin;        // of the prices
};

}  // namespace vibe::model
