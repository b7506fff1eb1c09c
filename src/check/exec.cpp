// `exec`: a command that reads the response exits with 0.
#include <fmt/format.h>

#include "check/check.h"

namespace vibe::check {

std::optional<Arguments> read_exec(const CheckKind& kind, const base::YamlNode& value,
                                   Reading& reading) {
  if (value.kind != base::YamlNode::Kind::map) {
    report_type(quoted(kind.name), value, "a table", reading,
                fmt::format("write `{}`", kind.example));
    return std::nullopt;
  }
  const Fields fields(kExecSection, value, first_key(value), reading);
  const base::YamlNode* command = fields.find("command");
  if (!command) return std::nullopt;
  if (command->items.empty()) {
    reading.add(base::Code::empty_list, *command, "`command` has no words");
    return std::nullopt;
  }
  constexpr Field kWord{"command", Type::text_or_empty, true, {}, "", "a list of words", "", ""};
  Command out;
  for (const base::YamlNode* word : command->items)
    if (fits(kWord, *word, reading)) out.argv.push_back(reading.text(*word));
  return out;
}

}  // namespace vibe::check
