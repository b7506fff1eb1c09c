// `exec`: a command that reads the response exits with 0.
#include <fmt/format.h>

#include "base/process.h"
#include "base/text.h"
#include "check/judging.h"

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
  out.timeout = fields->number("timeout").value_or(out.timeout);
  return out;
}

namespace {

// The most telling line of its output, or else of its error output.
std::string told(const base::Finished& finished, const Judging& judging) {
  constexpr std::size_t kMostShown = 200;  // code points
  for (const std::string* text : {&finished.output, &finished.errors})
    if (const auto line = base::telling_line(*text); !line.empty())
      return ": " + base::shorten(base::printable(judging.masked(line)), kMostShown);
  return {};
}

// How it ended. Its name may contain a secret.
std::string words_of(const base::Finished& finished, const Check& check, const Judging& judging) {
  const std::string& name = std::get<Command>(check.arguments).argv.front();
  std::string out = finished.words;
  if (const std::string shown = base::shown_program(name); out.starts_with(shown))
    out.replace(0, shown.size(), base::shown_program(judging.masked(name)));
  return out;
}

}  // namespace

// If the program exits, its exit code is the verdict; if it is stopped or killed, there is no
// verdict.
Finding judge_exec(const Check& check, Judging& judging) {
  const auto& ran = judging.evidence<base::Finished>(check);
  if (!ran) return finding(Verdict::error, ran.error());
  const Verdict verdict =
      ran->how == base::Finished::How::exited ? pass_if(ran->status == 0) : Verdict::error;
  return finding(verdict, words_of(*ran, check, judging) + told(*ran, judging));
}

}  // namespace vibe::check
