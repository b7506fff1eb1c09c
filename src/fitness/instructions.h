// Instructions: the form that a prompt asks its answer to have, as far as its words say so plainly,
// in English or Vietnamese. A prompt that only mentions JSON, a list or a language asks for
// nothing. Pure.
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
  bool any_language = false;               // one of them will do
  std::optional<std::size_t> most_words;

  bool any() const { return json || list || table || most_words || !languages.empty(); }
};

// Of a long prompt, the beginning and the end are looked at; not what it quotes or has as code.
// `steps` is raised by the phrases that were compared in search of a word limit.
Form form_asked_for(std::string_view prompt, std::size_t* steps = nullptr);

}  // namespace vibe::fitness
