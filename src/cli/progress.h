// Progress of a run: on a terminal, one line that is redrawn to fit the current width; elsewhere, a
// line now and then.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "cli/command.h"
#include "score/run.h"

namespace vibe::cli {

class Progress {
 public:
  Progress(Terminal& terminal, std::size_t total, bool quiet);
  ~Progress() { clear(); }

  void add(const score::Result& result);
  void draw();   // on a terminal
  void clear();  // leaves an empty line for the next output

 private:
  std::string figures() const;

  Terminal& terminal_;
  std::size_t total_, done_ = 0, passed_ = 0, errors_ = 0;
  double cost_ = 0;
  bool quiet_, cost_known_ = true, drawn_ = false;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

// The line for a terminal of that width: figures first, then the time left and a bar, as far as
// they fit.
std::string progress_line(std::string_view figures, std::string_view time_left, double share,
                          std::size_t width);

}  // namespace vibe::cli
