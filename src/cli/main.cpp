#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/terminal_text.h"

namespace {

bool shows_color(int file) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return isatty(file) == 1 && (no_color == nullptr || *no_color == '\0') &&
         (term == nullptr || std::strcmp(term, "dumb") != 0);
}

std::size_t columns(int file, std::size_t otherwise) {
  winsize size{};
  return ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

// The columns for a source line, without its indentation.
std::size_t line_width() {
  constexpr std::size_t kIndent = 2, kWidth = vibe::base::RenderStyle{}.width;
  const std::size_t width = columns(STDERR_FILENO, kWidth + kIndent);
  return width > kIndent ? width - kIndent : kWidth;
}

// A terminal acts on control characters; files and pipes get the bytes as they are.
bool write(std::FILE* file, std::string_view text, vibe::cli::OwnCodes own) {
  std::string safe;
  if (isatty(fileno(file)) == 1) text = safe = vibe::cli::shown_on_terminal(text, own);
  return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace vibe::cli;
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its size limit gives a write error instead
  Terminal terminal;
  terminal.style = {shows_color(STDERR_FILENO), line_width()};
  terminal.out_color = shows_color(STDOUT_FILENO);
  terminal.out_width = columns(STDOUT_FILENO, terminal.out_width);
  terminal.err_is_terminal = isatty(STDERR_FILENO) == 1;
  terminal.write_now = [](std::string_view text) { write(stderr, text, OwnCodes::drawing); };
  int problem = 0;  // the first error on standard output
  terminal.print_now = [&](std::string_view text) {
    if (!write(stdout, text, OwnCodes::none) && problem == 0) problem = errno;
  };
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  Exit exit = Exit::incomplete;
  try {
    exit = run(words, terminal);
  } catch (const std::bad_alloc&) {
    terminal.err += "vibe: error: out of memory\n";
  } catch (const std::exception& error) {  // no thread available: only the standard library throws
    terminal.err += std::string("vibe: error: ") + error.what() + "\n";
  }
  const bool shown = write(stderr, terminal.err, OwnCodes::colors);
  const OwnCodes own = terminal.out_is_data ? OwnCodes::none : OwnCodes::colors;
  if (!write(stdout, terminal.out, own) && problem == 0) problem = errno;
  if (problem != 0) {
    vibe::base::Diagnostics diagnostics;
    diagnostics.add(vibe::base::Code::cannot_write, {},
                    "cannot write to standard output: " + vibe::base::reason(problem));
    write(stderr, render(diagnostics, terminal.style), OwnCodes::colors);
    exit = Exit::incomplete;
  }
  return shown ? static_cast<int>(exit) : static_cast<int>(Exit::incomplete);
}
