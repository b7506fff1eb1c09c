#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/command.h"

namespace {

bool wants_color() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && (no_color == nullptr || *no_color == '\0') &&
         (term == nullptr || std::strcmp(term, "dumb") != 0);
}

// Columns for a source line, which is indented.
std::size_t line_width() {
  constexpr unsigned short kIndent = 2;
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > kIndent;
  return known ? size.ws_col - kIndent : vibe::base::RenderStyle{}.width;
}

bool write(std::FILE* file, const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace vibe::cli;
  Terminal terminal;
  terminal.style = {wants_color(), line_width()};
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  Exit exit = run(words, terminal);
  const bool shown = write(stderr, terminal.err);
  if (!write(stdout, terminal.out)) {
    vibe::base::Diagnostics diagnostics;
    diagnostics.add(vibe::base::Code::cannot_write, {},
                    "cannot write to standard output: " + vibe::base::reason(errno));
    write(stderr, render(diagnostics, terminal.style));
    exit = Exit::incomplete;
  }
  return shown ? static_cast<int>(exit) : static_cast<int>(Exit::incomplete);
}
