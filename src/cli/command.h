// The command line as tables: a command is a row, its options are rows. They produce `--help`,
// shell completion, suggestions for typos and the documentation.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "config/config.h"

namespace vibe::cli {

enum class Exit : int {
  passed = 0,
  gate_failed = 1,
  bad_usage = 2,
  incomplete = 3,
  inconclusive = 4,
  cancelled = 130
};

struct Option {
  std::string_view name;   // `--suite`
  char letter;             // `v` for `-v`, or 0
  std::string_view value;  // `FILE`; empty for a switch
  std::string_view help;
};

// How the shell completes a positional argument.
enum class Completes : std::uint8_t { nothing, files, shells };

struct Arguments {
  std::vector<std::string> positional;
  std::map<std::string_view, std::string> options;  // by name; the last one wins if repeated

  bool has(std::string_view name) const { return options.contains(name); }
  std::optional<std::string> get(std::string_view name) const;
};

// The outside world of a command.
struct Terminal {
  std::string out, err;      // written when the command ends
  base::RenderStyle style;   // for diagnostics, on standard error
  bool out_color = false;    // standard output shows colours
  bool out_is_data = false;  // `out` is for programs: it has no colour codes of ours
  std::size_t out_width = 100;
  bool err_is_terminal = false;
  config::Overrides overrides{};  // command-line options that override the configuration
  // The environment variable that names a server and its value, whatever `--server` says; or empty.
  std::pair<std::string, std::string> server_variable{};
  // Writes to standard error at once, before what is in `err`.
  std::function<void(std::string_view)> write_now = [](std::string_view) {};
  // The same for standard output, for commands that keep running.
  std::function<void(std::string_view)> print_now = [](std::string_view) {};

  void show(const base::Diagnostics& diagnostics) { err += render(diagnostics, style); }
  // For output that may be very long: data is written before the command ends.
  void write_some(std::string_view text) {
    constexpr std::size_t kMost = std::size_t{1} << 20;
    out += text;
    if (!out_is_data || out.size() < kMost) return;
    print_now(out);
    out.clear();
  }
};

struct Command {
  std::string_view name;       // `formula check`
  std::string_view arguments;  // `FILE…`
  std::size_t least, most;     // positional arguments
  std::string_view summary;
  std::string_view details;  // more sentences for `--help`
  std::string_view example;
  std::span<const Option> options;
  Completes completes;
  Exit (*run)(const Arguments&, Terminal&);
  std::string_view also = {};  // another way to write the name: `var set`
  // Handles arguments that the command does not accept; null: shows them and exits with bad usage.
  Exit (*misused)(std::span<const std::string> words, const base::Diagnostics& problems,
                  Terminal&) = nullptr;
};

std::span<const Command> commands();

inline constexpr double kAnyNumber = std::numeric_limits<double>::infinity();

inline constexpr Option kHelpOption{"--help", 'h', "", "show this help"};

// Reads the words after a command's name; reports every word it does not understand.
std::optional<Arguments> parse(const Command& command, std::span<const std::string> words,
                               base::Diagnostics& out);

// The number given to an option; reports it if it is not a number or is out of range.
std::optional<double> number(const Arguments& arguments, std::string_view option,
                             base::Diagnostics& out, double least = -kAnyNumber,
                             double most = kAnyNumber);
std::optional<std::int64_t> integer(const Arguments& arguments, std::string_view option,
                                    base::Diagnostics& out, std::int64_t least, std::int64_t most);
// The items of a comma-separated list.
std::vector<std::string> list(const Arguments& arguments, std::string_view option);

// Shows what went wrong, and returns the exit code: `incomplete` if the store or a file failed,
// else `bad_usage`.
Exit fail(const base::Diagnostics& diagnostics, Terminal& terminal);

std::string help(const Command& command);
std::string overview();  // all commands

// The whole program; `words` are the arguments without the program's name.
Exit run(std::span<const std::string> words, Terminal& terminal);

}  // namespace vibe::cli
