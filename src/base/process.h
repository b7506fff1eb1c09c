// Process: runs a program to its end: its input, its output, how it ended. It runs without a shell,
// in its own process group, which is killed afterwards, and inherits no other open files. Safe from
// any thread, also for many programs at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace vibe::base {

// Stops the processes that it was passed to, now and later. Safe from any thread.
class StopSignal {
 public:
  StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();

  void stop();
  int descriptor() const { return fd_; }  // readable once stopped; negative: none

 private:
  int fd_;
};

struct Command {
  std::string program;                   // a path, from find_program
  std::vector<std::string> arguments;    // the first one is the program's name
  std::vector<std::string> environment;  // `NAME=value`, takes precedence over our own
  std::string input;                     // for its standard input
  double timeout = 60;                   // seconds
  std::size_t most_output = 32u << 20;   // bytes; if it writes more, it is killed
};

struct Finished {
  enum class How : std::uint8_t {
    exited,
    signalled,
    timed_out,
    stopped,      // by the signal
    too_large,    // it wrote too much
    not_started,  // `errors` says why
    lost,         // waiting failed, and it was killed; `errors` says why
  };
  How how = How::not_started;
  int status = 0;              // the exit code, or the signal
  std::string output, errors;  // of the errors only the first and last few thousand bytes
  double seconds = 0;          // run time
  std::string words;           // in words: `cat` exited with code 1
};

// The output ends when the program ends, even if one of its children still holds the pipe.
Finished run(const Command& command, const StopSignal* stop = nullptr);

// A program's name for messages: shortened, on one line, in backticks. `Finished::words` begins
// with it.
std::string shown_program(std::string_view name);

// Kills all programs that run() waits for, with everything they started. Safe in a signal handler,
// for a process that is about to exit.
void kill_programs();

// Splits words like a shell: white space, '…', "…", backslashes; nothing else is special.
Result<std::vector<std::string>> split_command(std::string_view line);

// Quotes a word, if needed, so that split_command() and a shell read it back unchanged.
std::string quote_word(std::string_view word);

// Searches PATH, or takes a name with a slash as it is; none: there is no such executable file.
std::optional<std::string> find_program(const std::string& name);
// The message that a program does not exist, and where vibe looked for it.
std::string no_program(std::string_view name);
std::string_view where_programs_are(std::string_view name);

std::string signal_name(int signal);  // `segmentation fault`

// The most telling line of a program's output: the first, but for a Python traceback the last.
// Trimmed; empty: there is none.
std::string_view telling_line(std::string_view text);

}  // namespace vibe::base
