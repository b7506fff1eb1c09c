// Process: runs a program to its end: what it is given on standard input, what it writes, how it
// ended. It runs without a shell, in a process group of its own, of which nothing is left
// afterwards, and gets no other open file of ours. Safe from any thread, also many at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace vibe::base {

// Ends the processes that were given it, from any thread, now and later.
class StopSignal {
 public:
  StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();

  void stop();
  int descriptor() const { return fd_; }  // readable once stopped; negative: there is none

 private:
  int fd_;
};

struct Command {
  std::string program;                   // a path, from find_program
  std::vector<std::string> arguments;    // the name it is called by first
  std::vector<std::string> environment;  // `NAME=value`, before what we have ourselves
  std::string input;                     // on its standard input
  double timeout = 60;                   // seconds
  std::size_t most_output = 32u << 20;   // bytes; more ends it
};

struct Finished {
  enum class How : std::uint8_t {
    exited,
    signalled,
    timed_out,
    stopped,      // by the signal
    too_large,    // its output
    not_started,  // `errors` says why
    lost,         // it could not be waited for and was ended; `errors` says why
  };
  How how = How::not_started;
  int status = 0;              // the exit code, or the signal
  std::string output, errors;  // of the errors the first and the last few thousand bytes
  double seconds = 0;          // from start to end
  std::string words;           // `cat` exited with code 1
};

// When the program ends, what it wrote until then is its output, even if a child of its own
// still holds the pipe.
Finished run(const Command& command, const StopSignal* stop = nullptr);

// As messages name it: shortened, in one line, in backticks. Those of `Finished::words` begin so.
std::string shown_program(std::string_view name);

// Kills all programs that run() is waiting for, with what they started. May be called from a signal
// handler: for a process that is about to end.
void kill_programs();

// Words as a shell splits them: white space, '…', "…", backslashes; nothing else is special.
Result<std::vector<std::string>> split_command(std::string_view line);

// A word that it, and a shell, read back as it is: in quotes where it needs them.
std::string quote_word(std::string_view word);

// By PATH, or as it is if it has a slash; none: there is no such file that can be run.
std::optional<std::string> find_program(const std::string& name);
// That there is none: the message, and where it was looked for.
std::string no_program(std::string_view name);
std::string_view where_programs_are(std::string_view name);

std::string signal_name(int signal);  // `segmentation fault`

// The line of what a program wrote that says most: the first, but of a Python traceback the last.
// Trimmed; empty: there is none.
std::string_view telling_line(std::string_view text);

}  // namespace vibe::base
