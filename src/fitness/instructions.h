// Instructions: the form that a prompt clearly requests for its answer, in English or Vietnamese. A
// prompt that only mentions JSON, a list or a language requests nothing. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "fitness/syntax.h"

namespace vibe::fitness {

struct Form {
  bool json = false, list = false, table = false;
  std::vector<const Language*> languages;  // of code
  bool any_language = false;               // one of them is enough
  std::optional<std::size_t> most_words;

  bool any() const { return json || list || table || most_words || !languages.empty(); }
};

// Reads the beginning and the end of a long prompt, without quotations and code. `steps` counts the
// phrases compared in the search for a word limit.
Form form_asked_for(std::string_view prompt, std::size_t* steps = nullptr);

}  // namespace vibe::fitness
