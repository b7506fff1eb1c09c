#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"

namespace vibe::cli {

namespace {

constexpr std::array<std::string_view, 3> kShells{"bash", "fish", "zsh"};

struct Name {
  std::string_view text;
  const Command* command;

  std::string_view first() const { return text.substr(0, text.find(' ')); }
  std::string_view second() const {
    const std::size_t space = text.find(' ');
    return space == std::string_view::npos ? "" : text.substr(space + 1);
  }
};

// Every way to write a command.
std::vector<Name> names() {
  std::vector<Name> out;
  for (const auto& command : commands()) {
    out.push_back({command.name, &command});
    if (!command.also.empty()) out.push_back({command.also, &command});
  }
  return out;
}

std::vector<std::string_view> first_words() {
  std::vector<std::string_view> words{"help"};
  for (const auto& name : names()) words.push_back(name.first());
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

std::vector<std::string_view> second_words(std::string_view first) {
  std::vector<std::string_view> words;
  for (const auto& name : names())
    if (name.first() == first && !name.second().empty()) words.push_back(name.second());
  return words;
}

std::vector<std::string_view> option_words(const Command& command) {
  std::vector<std::string_view> words{kHelpOption.name};
  for (const auto& option : command.options) words.push_back(option.name);
  return words;
}

std::vector<std::string_view> groups() {
  std::vector<std::string_view> out;
  for (const auto first : first_words())
    if (!second_words(first).empty()) out.push_back(first);
  return out;
}

std::string value_options(const Command& command, bool files) {
  std::string out;
  const auto add = [&](std::string_view name) {
    out += (out.empty() ? "" : "|") + std::string(name);
  };
  for (const auto& option : command.options) {
    if (option.value.empty() || (option.value == "FILE") != files) continue;
    add(option.name);
    if (option.letter != 0) add(fmt::format("-{}", option.letter));
  }
  return out;
}

// What can follow a command's name: option values, options, arguments.
std::string command_case(const Name& name) {
  const Command& command = *name.command;
  std::string out = fmt::format("    '{} '*)\n      case $previous in\n", name.text);
  const std::string with_file = value_options(command, true);
  const std::string with_value = value_options(command, false);
  if (!with_file.empty()) out += fmt::format("        {}) files=yes ;;\n", with_file);
  if (!with_value.empty()) out += fmt::format("        {}) ;;\n", with_value);
  out += fmt::format("        *) if [[ $current == -* ]]; then choices='{}'",
                     fmt::join(option_words(command), " "));
  if (const auto words = second_words(name.text); !words.empty())
    out += fmt::format("; else choices='{}'", fmt::join(words, " "));
  else if (command.completes == Completes::shells)
    out += fmt::format("; else choices='{}'", fmt::join(kShells, " "));
  else if (command.completes == Completes::files)
    out += "; else files=yes";
  return out + "; fi ;;\n      esac ;;\n";
}

// Shell code for both bash and zsh: sets `choices` and `files` from what was typed so far.
std::string choices() {
  std::string out;
  // look for `set var` before `set`
  for (const bool has_two_words : {true, false})
    for (const auto& name : names())
      if (name.second().empty() != has_two_words) out += command_case(name);
  for (const auto group : groups())
    for (const std::string_view before : {"", "help "})
      out += fmt::format("    '{}{} '*) choices='{}' ;;\n", before, group,
                         fmt::join(second_words(group), " "));
  out += fmt::format("    *) choices='{}' ;;\n", fmt::join(first_words(), " "));
  return out;
}

std::string bash() {
  return fmt::format(R"(# bash completion of vibe
_vibe() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} choices='' files=''
  local line="${{COMP_WORDS[*]:1:COMP_CWORD}}"
  # bash takes `--suite=FILE` for three words
  if [[ $current == = ]]; then current=''
  elif [[ $previous == = ]]; then previous=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  case "$line" in
{}  esac
  COMPREPLY=()
  if [[ -n $choices ]]; then mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$current"); fi
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}}
complete -F _vibe vibe
)",
                     choices());
}

std::string zsh() {
  return fmt::format(R"(#compdef vibe
_vibe() {{
  local current=${{words[CURRENT]}} previous=${{words[CURRENT-1]}} choices='' files=''
  local line="${{words[2,CURRENT]}}"
  if compset -P '--*='; then previous=${{current%%=*}} current=''; fi
  case "$line" in
{}  esac
  if [[ -n $choices ]]; then compadd -- ${{=choices}}; fi
  if [[ -n $files ]]; then _files; fi
}}
if [[ $funcstack[1] == _vibe ]]; then _vibe "$@"; else compdef _vibe vibe; fi
)",
                     choices());
}

// Puts the text in single quotes, for fish.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_line(std::string_view condition, std::string_view rest) {
  return fmt::format("complete -c vibe -n {} {}\n", quoted(condition), rest);
}

// `__vibe_at`: the words after `vibe` begin with these; `__vibe_is`: they are exactly these.
constexpr std::string_view kFishFunctions = R"(function __vibe_at
  set -l words (commandline -opc)
  set -e words[1]
  set -l many (count $argv)
  test (count $words) -ge $many; and test "$words[1..$many]" = "$argv"
end
function __vibe_is
  set -l words (commandline -opc)
  set -e words[1]
  test "$words" = "$argv"
end
)";

std::string fish_command(const Name& name) {
  const Command& command = *name.command;
  const auto words = second_words(name.text);
  std::string seen = fmt::format("__vibe_at {}", name.text);
  std::string out;
  if (!name.second().empty())
    for (const std::string_view before : {"", "help "})
      out += fish_line(fmt::format("__vibe_is {}{}", before, name.first()),
                       fmt::format("-a {} -d {}", name.second(), quoted(command.summary)));
  else if (words.empty())
    out += fish_line("__vibe_is", fmt::format("-a {} -d {}", name.text, quoted(command.summary)));
  else
    seen += fmt::format("; and not __fish_seen_subcommand_from {}", fmt::join(words, " "));
  if (command.completes == Completes::files) out += fish_line(seen, "-F");
  if (command.completes == Completes::shells)
    out += fish_line(seen, fmt::format("-a '{}'", fmt::join(kShells, " ")));
  const auto add = [&](const Option& option) {
    const std::string_view takes =
        option.value.empty() ? "" : (option.value == "FILE" ? " -r -F" : " -x");
    const std::string letter = option.letter != 0 ? fmt::format(" -s {}", option.letter) : "";
    out += fish_line(seen, fmt::format("-l {}{}{} -d {}", option.name.substr(2), letter, takes,
                                       quoted(option.help)));
  };
  for (const auto& option : command.options) add(option);
  add(kHelpOption);
  return out;
}

std::string fish() {
  std::string out =
      fmt::format("# fish completion for vibe\n{}complete -c vibe -f\n", kFishFunctions);
  for (const auto group : groups()) out += fish_line("__vibe_is", fmt::format("-a {}", group));
  out += fish_line("__vibe_is", "-a help -d 'show the options of a command, with an example'");
  out += fish_line("__vibe_is help", fmt::format("-a '{}'", fmt::join(first_words(), " ")));
  for (const auto& name : names()) out += fish_command(name);
  return out;
}

}  // namespace

Exit run_completion(const Arguments& arguments, Terminal& terminal) {
  const std::string& shell = arguments.positional[0];
  if (shell == "bash") terminal.out += bash();
  if (shell == "zsh") terminal.out += zsh();
  if (shell == "fish") terminal.out += fish();
  if (!terminal.out.empty()) return Exit::passed;
  base::Diagnostics diagnostics;
  std::string hint = base::did_you_mean(base::nearest(shell, kShells));
  if (hint.empty()) hint = "choose `bash`, `fish` or `zsh`";
  diagnostics.add(base::Code::bad_usage, {}, fmt::format("no completion for the shell `{}`", shell),
                  std::move(hint));
  terminal.show(diagnostics);
  return Exit::bad_usage;
}

}  // namespace vibe::cli
