// The command line as tables: a command is a row, its options are rows. `--help`, shell
// completion, suggestions for typos and the documentation are made from them.
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
  cancelled = 130
};

struct Option {
  std::string_view name;   // `--suite`
  char letter;             // `v` for `-v`, or 0
  std::string_view value;  // `FILE`; empty for a switch
  std::string_view help;
};

// What the shell completes a positional argument with.
enum class Completes : std::uint8_t { nothing, files, shells };

struct Arguments {
  std::vector<std::string> positional;
  std::map<std::string_view, std::string> options;  // by name; of a repeated one the last

  bool has(std::string_view name) const { return options.contains(name); }
  std::optional<std::string> get(std::string_view name) const;
};

// The outside world of a command.
struct Terminal {
  std::string out, err;      // written when the command ends
  base::RenderStyle style;   // of diagnostics, on standard error
  bool out_color = false;    // standard output shows colours
  bool out_is_data = false;  // `out` is for programs: no code in it is the program's own
  std::size_t out_width = 100;
  bool err_is_terminal = false;
  config::Overrides overrides{};  // of the configuration, by options
  // By which the environment names a server, and its value, whatever `--server` says; or empty.
  std::pair<std::string, std::string> server_variable{};
  // Writes to standard error at once, before what is in `err`.
  std::function<void(std::string_view)> write_now = [](std::string_view) {};
  // The same for standard output, for commands that go on.
  std::function<void(std::string_view)> print_now = [](std::string_view) {};

  void show(const base::Diagnostics& diagnostics) { err += render(diagnostics, style); }
  // For output that may be very long: what is data does not wait for the end of the command.
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
  std::string_view details;  // further sentences for `--help`
  std::string_view example;
  std::span<const Option> options;
  Completes completes;
  Exit (*run)(const Arguments&, Terminal&);
  std::string_view also = {};  // another way to write the name: `var set`
  // What to do about words that it does not take; null: they are shown, and it is bad usage.
  Exit (*misused)(std::span<const std::string> words, const base::Diagnostics& problems,
                  Terminal&) = nullptr;
};

std::span<const Command> commands();

inline constexpr double kAnyNumber = std::numeric_limits<double>::infinity();

inline constexpr Option kHelpOption{"--help", 'h', "", "show this help"};

// Reads the words that follow a command's name; reports every one it does not understand.
std::optional<Arguments> parse(const Command& command, std::span<const std::string> words,
                               base::Diagnostics& out);

// A number given to an option; reports one that is none, or outside the range.
std::optional<double> number(const Arguments& arguments, std::string_view option,
                             base::Diagnostics& out, double least = -kAnyNumber,
                             double most = kAnyNumber);
std::optional<std::int64_t> integer(const Arguments& arguments, std::string_view option,
                                    base::Diagnostics& out, std::int64_t least, std::int64_t most);
// What stands between the commas.
std::vector<std::string> list(const Arguments& arguments, std::string_view option);

// Shows what went wrong, and says by which code the program ends: `incomplete` where the store
// or a file failed, else `bad_usage`.
Exit fail(const base::Diagnostics& diagnostics, Terminal& terminal);

std::string help(const Command& command);
std::string overview();  // all commands

// The whole program: words without its own name.
Exit run(std::span<const std::string> words, Terminal& terminal);

}  // namespace vibe::cli
