// ModelList: the known models, with their prices, their provider and the key it needs. Plain data.
#pragma once

#include <string>
#include <vector>

#include "price/price.h"

namespace vibe::model {

struct KnownModel {
  price::ModelRow row;
  std::string provider;      // empty: none serves it
  std::string key_variable;  // environment variable; empty: needs no key
  bool key_set = false;
  bool runnable = false;                  // the provider has the model, and its key is set
  std::string same_as{};                  // the provider's own id, if this one is an alias
  std::vector<std::string> parameters{};  // what requests can set: `tools`, `temperature`, …
};

// A pattern of names for models that are not listed one by one: `ollama/NAME`.
struct ModelForm {
  std::string form, summary;
  std::string key_variable;
  bool key_set = false;
};

struct ModelList {
  std::vector<KnownModel> models;  // sorted by id
  std::vector<ModelForm> forms;    // configured endpoints first
  std::string date, origin;        // of the prices
};

}  // namespace vibe::model
