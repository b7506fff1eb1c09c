#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"

namespace vibe::cli {

namespace {

constexpr std::array<std::string_view, 3> kShells{"bash", "fish", "zsh"};

std::vector<std::string_view> first_words() {
  std::vector<std::string_view> words{"help"};
  for (const auto& command : commands())
    words.push_back(command.name.substr(0, command.name.find(' ')));
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

std::vector<std::string_view> second_words(std::string_view first) {
  std::vector<std::string_view> words;
  for (const auto& command : commands()) {
    const std::size_t space = command.name.find(' ');
    if (space != std::string_view::npos && command.name.substr(0, space) == first)
      words.push_back(command.name.substr(space + 1));
  }
  return words;
}

std::vector<std::string_view> option_words(const Command& command) {
  std::vector<std::string_view> words{kHelpOption.name};
  for (const auto& option : command.options) words.push_back(option.name);
  return words;
}

bool is_group(const Command& command) { return command.name.find(' ') != std::string_view::npos; }

std::vector<std::string_view> groups() {
  std::vector<std::string_view> out;
  for (const auto first : first_words())
    if (!second_words(first).empty()) out.push_back(first);
  return out;
}

std::string file_options(const Command& command) {
  std::string out;
  for (const auto& option : command.options)
    if (option.value == "FILE") out += fmt::format("{}{}", out.empty() ? "" : "|", option.name);
  return out;
}

// Shell code for bash and zsh alike: `words` and `files` are set by the words typed so far.
std::string choices() {
  std::string out;
  for (const auto& command : commands()) {
    out += fmt::format("    '{}{}*)\n", command.name, is_group(command) ? "'" : " '");
    out += fmt::format("      if [[ $current == -* ]]; then words='{}'\n",
                       fmt::join(option_words(command), " "));
    if (command.completes == Completes::shells)
      out += fmt::format("      else words='{}'\n", fmt::join(kShells, " "));
    if (command.completes == Completes::files) out += "      else files=yes\n";
    out += "      fi\n";
    const std::string with_file = file_options(command);
    if (!with_file.empty())
      out += fmt::format("      case $previous in {}) files=yes ;; esac\n", with_file);
    out += "      ;;\n";
  }
  for (const auto group : groups())
    out += fmt::format("    '{} '*) words='{}' ;;\n", group, fmt::join(second_words(group), " "));
  out += fmt::format("    'help '*) words='{}' ;;\n", fmt::join(first_words(), " "));
  out += fmt::format("    *) words='{}' ;;\n", fmt::join(first_words(), " "));
  return out;
}

std::string bash() {
  return fmt::format(R"(# bash completion of vibe
_vibe() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words='' files=''
  case "${{COMP_WORDS[*]:1:COMP_CWORD}}" in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n $files ]]; then COMPREPLY+=($(compgen -f -- "$current")); fi
}}
complete -o filenames -F _vibe vibe
)",
                     choices());
}

std::string zsh() {
  return fmt::format(R"(#compdef vibe
_vibe() {{
  local current=${{words[CURRENT]}} previous=${{words[CURRENT-1]}} line="${{words[2,CURRENT]}}" files=''
  local words=''
  case "$line" in
{}  esac
  [[ -n $words ]] && compadd -- ${{=words}}
  [[ -n $files ]] && _files
}}
if [[ $funcstack[1] == _vibe ]]; then _vibe "$@"; else compdef _vibe vibe; fi
)",
                     choices());
}

std::string fish() {
  std::string out = "# fish completion of vibe\ncomplete -c vibe -f\n";
  out += fmt::format("complete -c vibe -n __fish_use_subcommand -a '{}'\n",
                     fmt::join(first_words(), " "));
  for (const auto group : groups())
    out += fmt::format("complete -c vibe -n '__fish_seen_subcommand_from {}' -a '{}'\n", group,
                       fmt::join(second_words(group), " "));
  for (const auto& command : commands()) {
    std::string seen;
    for (std::string_view rest = command.name; !rest.empty();) {
      const std::size_t space = rest.find(' ');
      seen += fmt::format("{}__fish_seen_subcommand_from {}", seen.empty() ? "" : "; and ",
                          rest.substr(0, space));
      rest = space == std::string_view::npos ? std::string_view() : rest.substr(space + 1);
    }
    if (command.completes == Completes::files)
      out += fmt::format("complete -c vibe -n '{}' -F\n", seen);
    if (command.completes == Completes::shells)
      out += fmt::format("complete -c vibe -n '{}' -a '{}'\n", seen, fmt::join(kShells, " "));
    for (const auto& option : command.options) {
      const std::string_view takes =
          option.value.empty() ? "" : (option.value == "FILE" ? " -r -F" : " -x");
      const std::string letter = option.letter != 0 ? fmt::format(" -s {}", option.letter) : "";
      out += fmt::format("complete -c vibe -n '{}' -l {}{}{} -d '{}'\n", seen,
                         option.name.substr(2), letter, takes, option.help);
    }
  }
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
