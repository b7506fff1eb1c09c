// InstructionWords: the words by which instructions.h finds what a prompt asks for; built in
// (data/instructions.yaml). Immutable; safe from any thread.
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

const InstructionWords& instruction_words();  // read when it is first asked for

}  // namespace vibe::fitness
