#include "cli/progress.h"

#include <algorithm>
#include <cmath>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/time.h"
#include "report/table.h"
#include "score/numbers.h"
#include "score/score.h"

namespace vibe::cli {

namespace {

constexpr std::size_t kPlainLines = 20;  // at most, if there is no terminal
constexpr std::size_t kBar = 24, kLeastBar = 6;

std::size_t width_now() {
  winsize size{};
  constexpr std::size_t kUsual = 80;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

}  // namespace

std::string progress_line(std::string_view figures, std::string_view time_left, double share,
                          std::size_t width) {
  if (width == 0) return {};
  const std::size_t room = width - 1;  // the last column would wrap the line
  std::string out(figures);
  if (!time_left.empty() && out.size() + 2 + time_left.size() <= room)
    out += fmt::format("  {}", time_left);
  if (out.size() + kLeastBar + 3 <= room) {
    const std::size_t length = std::min(kBar, room - out.size() - 3);
    const auto full = static_cast<std::size_t>(std::lround(share * static_cast<double>(length)));
    out = fmt::format("[{}{}] {}", std::string(full, '#'), std::string(length - full, '-'), out);
  }
  return report::fit(out, room);
}

Progress::Progress(Terminal& terminal, std::size_t total, bool quiet)
    : terminal_(terminal), total_(total), quiet_(quiet) {}

void Progress::add(const score::Result& result) {
  ++done_;
  if (result.passed()) ++passed_;
  if (result.status == score::ResultStatus::error) ++errors_;
  cost_known_ = cost_known_ && result.cost.has_value();
  cost_ += result.cost.value_or(0);
  if (terminal_.err_is_terminal || quiet_) return;
  const std::size_t step = (total_ + kPlainLines - 1) / kPlainLines;
  if (done_ % step == 0 || done_ == total_) terminal_.write_now(figures() + "\n");
}

std::string Progress::figures() const {
  std::string out =
      fmt::format("{}/{}  {} passed  {} failed", done_, total_, passed_, done_ - passed_ - errors_);
  if (errors_ > 0) out += fmt::format("  {} error{}", errors_, errors_ == 1 ? "" : "s");
  if (cost_known_ || cost_ > 0)
    out += fmt::format("  {}{}", cost_known_ ? "" : "at least ", score::show_cost(cost_));
  return out;
}

void Progress::draw() {
  if (!terminal_.err_is_terminal || quiet_ || total_ == 0) return;
  const double share = static_cast<double>(done_) / static_cast<double>(total_);
  const double passed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  const std::string left =
      done_ == 0 ? ""
                 : fmt::format("{} left", base::show_duration(std::round(passed / share - passed)));
  terminal_.write_now("\r" + progress_line(figures(), left, share, width_now()) + "\x1b[K");
  drawn_ = true;
}

void Progress::clear() {
  if (drawn_) terminal_.write_now("\r\x1b[K");
  drawn_ = false;
}

}  // namespace vibe::cli
