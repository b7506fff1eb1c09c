#include "cli/command.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "config/schema.h"

namespace vibe::cli {

using base::Code;

namespace {

std::string written(const Option& option) {
  std::string out = option.letter != 0 ? fmt::format("-{}, ", option.letter) : "    ";
  out += option.name;
  if (!option.value.empty()) out += fmt::format(" {}", option.value);
  return out;
}

class WordReader {
 public:
  WordReader(const Command& command, std::span<const std::string> words, base::Diagnostics& out)
      : command_(command), words_(words), out_(out) {}

  std::optional<Arguments> run() {
    const std::size_t errors = out_.errors();
    bool options_end = false;
    for (; next_ < words_.size(); ++next_) {
      const std::string& word = words_[next_];
      if (options_end || word == "-" || !word.starts_with('-')) {
        arguments_.positional.push_back(word);
      } else if (word == "--") {
        options_end = true;
      } else {
        read_option(word);
      }
    }
    // After a misread option, the number of arguments means nothing.
    if (out_.errors() == errors && !arguments_.has(kHelpOption.name)) check_count();
    return out_.errors() == errors ? std::optional(std::move(arguments_)) : std::nullopt;
  }

 private:
  const Option* find(std::string_view name) const {
    const auto matches = [&](const Option& o) {
      return name == o.name || (name.size() == 2 && o.letter != 0 && name[1] == o.letter);
    };
    if (matches(kHelpOption)) return &kHelpOption;
    const auto found = std::find_if(command_.options.begin(), command_.options.end(), matches);
    return found == command_.options.end() ? nullptr : &*found;
  }

  void read_option(const std::string& word) {
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    const Option* option = find(name);
    if (option == nullptr) return report_unknown(name);
    if (option->value.empty()) {
      if (equals != std::string::npos)
        out_.add(Code::bad_usage, {}, fmt::format("`{}` takes no value", option->name));
      arguments_.options[option->name] = "";
    } else if (equals != std::string::npos) {
      arguments_.options[option->name] = word.substr(equals + 1);
    } else if (next_ + 1 < words_.size()) {
      arguments_.options[option->name] = words_[++next_];
    } else {
      out_.add(
          Code::bad_usage, {},
          fmt::format("`{}` needs a value: `{} {}`", option->name, option->name, option->value));
    }
  }

  void report_unknown(const std::string& name) {
    std::vector<std::string_view> names{kHelpOption.name};
    for (const auto& option : command_.options) names.push_back(option.name);
    std::string hint = base::did_you_mean(base::nearest(name, names));
    if (hint.empty())
      hint = fmt::format(
          "`vibe {} --help` lists the options; put an argument that begins with `-` after `--`",
          command_.name);
    out_.add(Code::unknown_option, {},
             fmt::format("unknown option `{}` for `vibe {}`", name, command_.name),
             std::move(hint));
  }

  void check_count() {
    const std::size_t count = arguments_.positional.size();
    if (count >= command_.least && count <= command_.most) return;
    const auto usage = command_.arguments.empty()
                           ? fmt::format("`vibe {}` takes options only", command_.name)
                           : fmt::format("write `vibe {} {}`, for example `{}`", command_.name,
                                         command_.arguments, command_.example);
    if (count < command_.least)
      out_.add(Code::bad_usage, {},
               fmt::format("`vibe {}` needs {}", command_.name, command_.arguments), usage);
    else
      out_.add(Code::bad_usage, {},
               fmt::format("`vibe {}` does not take `{}`", command_.name,
                           arguments_.positional[command_.most]),
               usage);
  }

  const Command& command_;
  std::span<const std::string> words_;
  base::Diagnostics& out_;
  std::size_t next_ = 0;
  Arguments arguments_;
};

struct Member {
  std::string_view name;
  const Command* command;
};

// The commands whose names are this word and a second one.
std::vector<Member> members(std::string_view group) {
  std::vector<Member> out;
  for (const auto& command : commands())
    for (const auto name : {command.name, command.also})
      if (name.size() > group.size() && name.starts_with(group) && name[group.size()] == ' ')
        out.push_back({name, &command});
  return out;
}

bool is_group(std::string_view word) { return !members(word).empty(); }

// The command named by the first words, and the number of those words.
std::pair<const Command*, std::size_t> find_command(std::span<const std::string> words) {
  for (const std::size_t count : {std::size_t{2}, std::size_t{1}}) {
    if (words.size() < count) continue;
    // `vibe set -f FILE` is a command, `vibe set nonsense` is not
    if (count == 1 && words.size() > 1 && is_group(words[0]) && !words[1].starts_with('-'))
      continue;
    const std::string name = count == 2 ? words[0] + " " + words[1] : words[0];
    for (const auto& command : commands())
      if (command.name == name || command.also == name) return {&command, count};
  }
  return {nullptr, 0};
}

std::string group_help(std::string_view group) {
  std::string out = fmt::format("vibe {}: commands\n\n", group);
  for (const auto& [name, command] : members(group))
    out += fmt::format("  {:<44}{}\n", fmt::format("vibe {} {}", name, command->arguments),
                       command->summary);
  return out + fmt::format("\n`vibe help {} …` shows the options of a command.\n", group);
}

void report_unknown_command(std::span<const std::string> words, base::Diagnostics& out) {
  std::string word = words[0];
  std::vector<std::string_view> names{"help"};
  if (is_group(word)) {
    if (words.size() > 1) word += " " + words[1];
    for (const auto& member : members(words[0])) names.push_back(member.name);
  } else {
    for (const auto& command : commands())
      for (const auto name : {command.name, command.also})
        if (!name.empty()) names.push_back(name.substr(0, name.find(' ')));
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
  }
  std::string hint = base::did_you_mean(base::nearest(word, names));
  if (word.ends_with(".yaml") || word.ends_with(".yml"))
    hint = fmt::format("did you mean `vibe check {}`?", word);
  if (word.ends_with(".jsonl")) hint = fmt::format("did you mean `vibe score {}`?", word);
  if (hint.empty() && is_group(words[0]))
    hint = fmt::format("`vibe {}` lists its commands", words[0]);
  if (hint.empty()) hint = "`vibe help` lists the commands";
  out.add(Code::unknown_command, {}, fmt::format("unknown command `{}`", word), std::move(hint));
}

Exit show_help(std::span<const std::string> words, Terminal& terminal) {
  if (words.empty() || words[0] == "help") {
    terminal.out += overview();
    return Exit::passed;
  }
  if (words.size() == 1 && is_group(words[0])) {
    terminal.out += group_help(words[0]);
    return Exit::passed;
  }
  if (const auto [command, count] = find_command(words); command != nullptr) {
    terminal.out += help(*command);
    return Exit::passed;
  }
  base::Diagnostics diagnostics;
  report_unknown_command(words, diagnostics);
  terminal.show(diagnostics);
  return Exit::bad_usage;
}

}  // namespace

std::optional<std::string> Arguments::get(std::string_view name) const {
  const auto found = options.find(name);
  return found == options.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Arguments> parse(const Command& command, std::span<const std::string> words,
                               base::Diagnostics& out) {
  return WordReader(command, words, out).run();
}

std::optional<double> number(const Arguments& arguments, std::string_view option,
                             base::Diagnostics& out, double least, double most) {
  const auto text = arguments.get(option);
  if (!text) return std::nullopt;
  const auto value = base::parse_double(*text);
  if (!value)
    out.add(Code::bad_usage, {}, fmt::format("`{}` takes a number, not `{}`", option, *text));
  else if (*value < least || *value > most)
    out.add(Code::bad_usage, {},
            most == kAnyNumber
                ? fmt::format("`{}` takes at least {}, not `{}`", option, least, *text)
                : fmt::format("`{}` takes {} to {}, not `{}`", option, least, most, *text));
  return value;
}

std::optional<std::int64_t> integer(const Arguments& arguments, std::string_view option,
                                    base::Diagnostics& out, std::int64_t least, std::int64_t most) {
  const auto text = arguments.get(option);
  if (!text) return std::nullopt;
  const auto value = base::parse_integer(*text);
  if (!value || *value < least || *value > most) {
    out.add(Code::bad_usage, {},
            fmt::format("`{}` takes a whole number from {} to {}, not `{}`", option, least, most,
                        *text));
    return std::nullopt;
  }
  return value;
}

std::vector<std::string> list(const Arguments& arguments, std::string_view option) {
  std::vector<std::string> out;
  const std::string text = arguments.get(option).value_or("");
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto item = base::trim(std::string_view(text).substr(begin, end - begin));
    if (!item.empty()) out.emplace_back(item);
    begin = end + 1;
  }
  return out;
}

namespace {

bool is_callers_fault(base::Fault fault) {
  switch (fault) {
    case base::Fault::input:
    case base::Fault::usage:
    case base::Fault::missing:
    case base::Fault::conflict:
    case base::Fault::setup: return true;
    case base::Fault::busy:
    case base::Fault::limit:
    case base::Fault::credit:
    case base::Fault::world: return false;
  }
  std::abort();
}

}  // namespace

Exit fail(const base::Diagnostics& diagnostics, Terminal& terminal) {
  terminal.show(diagnostics);
  for (const auto& one : diagnostics.all())
    if (!is_callers_fault(base::fault_of(one.code))) return Exit::incomplete;
  return Exit::bad_usage;
}

std::string help(const Command& command) {
  std::string out =
      fmt::format("vibe {}: {}\n\nUsage: vibe {}{}{} [OPTIONS]\n", command.name, command.summary,
                  command.name, command.arguments.empty() ? "" : " ", command.arguments);
  if (!command.also.empty())
    out += fmt::format("       vibe {}{}{} [OPTIONS]\n", command.also,
                       command.arguments.empty() ? "" : " ", command.arguments);
  if (!command.details.empty()) out += fmt::format("\n{}\n", command.details);
  out += "\nOptions:\n";
  std::size_t width = 0;
  for (const auto& option : command.options) width = std::max(width, written(option).size());
  width = std::max(width, written(kHelpOption).size());
  for (const auto& option : command.options)
    out += fmt::format("  {:<{}}  {}\n", written(option), width, option.help);
  out += fmt::format("  {:<{}}  {}\n", written(kHelpOption), width, kHelpOption.help);
  out += fmt::format("\nExample:\n  {}\n", command.example);
  return out;
}

std::string overview() {
  std::string out = "vibe: score language-model evals with your own formulas\n\nCommands:\n";
  for (const auto& command : commands())
    out += fmt::format("  {:<44}{}\n", fmt::format("vibe {} {}", command.name, command.arguments),
                       command.summary);
  out += fmt::format("  {:<44}{}\n", "vibe help COMMAND",
                     "show the options of a command, with an example");
  out += "\nStart with:\n  vibe init\n";
  return out;
}

namespace {

std::pair<std::string, std::string> server_variable() {
  for (const auto name : config::kServerVariables) {
    const char* value = std::getenv(std::string(name).c_str());  // NOLINT(concurrency-mt-unsafe)
    if (value != nullptr && *value != '\0') return {std::string(name), value};
  }
  return {};
}

}  // namespace

Exit run(std::span<const std::string> words, Terminal& terminal) {
  if (words.empty()) {
    terminal.out += first_steps();
    return Exit::passed;
  }
  if (words[0] == "help" || words[0] == "--help" || words[0] == "-h")
    return show_help(words.subspan(1), terminal);
  if (words[0] == "--version") {
    const std::string version[] = {"version"};
    return run(version, terminal);
  }
  base::Diagnostics diagnostics;
  if (is_group(words[0]) && (words.size() == 1 || words[1] == "--help" || words[1] == "-h"))
    return show_help(words.first(1), terminal);
  const auto [command, count] = find_command(words);
  if (command == nullptr) {
    report_unknown_command(words, diagnostics);
    terminal.show(diagnostics);
    return Exit::bad_usage;
  }
  const auto arguments = parse(*command, words.subspan(count), diagnostics);
  if (!arguments && command->misused)
    return command->misused(words.subspan(count), diagnostics, terminal);
  if (!arguments) {
    terminal.show(diagnostics);
    return Exit::bad_usage;
  }
  if (arguments->has(kHelpOption.name)) {
    terminal.out += help(*command);
    return Exit::passed;
  }
  terminal.server_variable = server_variable();
  if (const auto server = arguments->get(kServer.name)) {
    if (server->empty()) {
      diagnostics.add(Code::bad_usage, {}, "`--server` is empty");
      return fail(diagnostics, terminal);
    }
    terminal.overrides.server = *server;
  }
  for (const auto form : {"--json", "--jsonl", "--csv"})
    terminal.out_is_data = terminal.out_is_data || arguments->has(form);
  return command->run(*arguments, terminal);
}

}  // namespace vibe::cli
