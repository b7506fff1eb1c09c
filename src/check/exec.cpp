// `exec`: a command that reads the response exits with 0.
#include "check/check.h"

namespace vibe::check {

std::optional<Arguments> read_exec(const CheckKind& kind, const base::YamlNode& value,
                                   Reading& reading) {
  const auto fields = read_table(kind, kExecSection, value, reading);
  const base::YamlNode* command = fields ? fields->find("command") : nullptr;
  if (!command) return std::nullopt;
  if (command->items.empty()) {
    reading.add(base::Code::empty_list, *command, "`command` has no words");
    return std::nullopt;
  }
  constexpr Field kWord{.name = "command", .type = Type::text_or_empty, .takes = "a list of words"};
  Command out;
  for (const base::YamlNode* word : command->items)
    if (fits(kWord, *word, reading)) out.argv.push_back(reading.text(*word));
  return out;
}

}  // namespace vibe::check
