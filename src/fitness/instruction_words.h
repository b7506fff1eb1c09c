// InstructionWords: the words that instructions.h looks for in a prompt; built in
// (data/instructions.yaml). Immutable; safe to use from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace vibe::fitness {

// In lower case; the file says what each list is for.
struct InstructionWords {
  using List = std::vector<std::string>;
  List polite, verbs, code_verbs, translations, in, into, and_, or_, programs, json, table, list,
      json_alone, list_verbs, listed, behind, most, within, units;
  std::unordered_map<std::string, std::size_t> numbers;
};

const InstructionWords& instruction_words();  // read on first use

}  // namespace vibe::fitness
