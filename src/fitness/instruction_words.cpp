#include "fitness/instruction_words.h"

#include <array>
#include <cstdlib>
#include <string_view>

#include "base/source.h"
#include "base/yaml.h"

// data/instructions.yaml, embedded by the build.
extern "C" {
extern const char vibe_instructions_yaml[];
extern const char vibe_instructions_yaml_end[];
}

namespace vibe::fitness {

namespace {

struct InstructionRow {
  std::string_view name;
  InstructionWords::List InstructionWords::* list;
};
constexpr std::array kInstructionRows{
    InstructionRow{"polite", &InstructionWords::polite},
    InstructionRow{"verbs", &InstructionWords::verbs},
    InstructionRow{"code_verbs", &InstructionWords::code_verbs},
    InstructionRow{"translations", &InstructionWords::translations},
    InstructionRow{"in", &InstructionWords::in},
    InstructionRow{"into", &InstructionWords::into},
    InstructionRow{"and", &InstructionWords::and_},
    InstructionRow{"or", &InstructionWords::or_},
    InstructionRow{"programs", &InstructionWords::programs},
    InstructionRow{"json", &InstructionWords::json},
    InstructionRow{"table", &InstructionWords::table},
    InstructionRow{"list", &InstructionWords::list},
    InstructionRow{"json_alone", &InstructionWords::json_alone},
    InstructionRow{"list_verbs", &InstructionWords::list_verbs},
    InstructionRow{"listed", &InstructionWords::listed},
    InstructionRow{"behind", &InstructionWords::behind},
    InstructionRow{"most", &InstructionWords::most},
    InstructionRow{"within", &InstructionWords::within},
    InstructionRow{"units", &InstructionWords::units},
};

// The file is part of the project and tested, so a mistake in it is a bug.
const base::YamlNode& need(const base::YamlNode* node) {
  if (!node) std::abort();
  return *node;
}

InstructionWords read_instruction_words() {
  const auto document = base::parse_yaml(base::make_source(
      "data/instructions.yaml", std::string(vibe_instructions_yaml, vibe_instructions_yaml_end)));
  if (!document || !document->problems().empty()) std::abort();
  const base::YamlNode& root = document->root();
  if (root.entries.size() != kInstructionRows.size() + 1) std::abort();
  InstructionWords out;
  for (const InstructionRow& row : kInstructionRows)
    for (const base::YamlNode* item : need(root.find(row.name)).items)
      (out.*row.list).emplace_back(item->text);
  for (const auto& [word, value] : need(root.find("numbers")).entries) {
    const auto number = value->as_integer();
    if (!number || *number < 0) std::abort();
    out.numbers.emplace(word->text, static_cast<std::size_t>(*number));
  }
  return out;
}

}  // namespace

const InstructionWords& instruction_words() {
  static const InstructionWords words = read_instruction_words();
  return words;
}

}  // namespace vibe::fitness
