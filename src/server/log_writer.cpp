#include "server/log_writer.h"

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vibe::server {

namespace {

constexpr std::chrono::seconds kLastLines{1};

enum class IfFull : std::uint8_t { drop, wait };

// A disk that is full costs lines, not answers. Standard error may be non-blocking: whoever shares
// it may have made it so. `wait` waits then until there is room.
void write_line(int file, std::string_view line, IfFull if_full) {
  while (!line.empty()) {
    const ssize_t written = ::write(file, line.data(), line.size());
    if (written > 0) {
      line.remove_prefix(static_cast<std::size_t>(written));
    } else if (written < 0 && errno == EAGAIN && if_full == IfFull::wait) {
      pollfd place{.fd = file, .events = POLLOUT, .revents = 0};
      ::poll(&place, 1, -1);
    } else if (written == 0 || errno != EINTR) {
      return;
    }
  }
}

bool is_plain_file(int file) {
  struct stat status{};
  return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

void close_own(int file) {
  if (file > STDERR_FILENO) ::close(file);
}

}  // namespace

LogWriter::LogWriter(int file, std::string (*dropped)(std::uint64_t count))
    : is_plain_(is_plain_file(file)), state_(std::make_shared<State>()) {
  state_->file = file;
  state_->dropped_line = dropped;
  if (!is_plain_) thread_ = std::thread([state = state_] { work(*state); });
}

LogWriter::~LogWriter() {
  std::unique_lock lock(state_->mutex);
  if (state_->dropped > 0) {
    state_->waiting.push_back(state_->dropped_line(state_->dropped));
    state_->bytes += state_->waiting.back().size();
  }
  state_->is_ending = true;
  state_->changed.notify_all();
  if (is_plain_ ||
      state_->changed.wait_for(lock, kLastLines, [this] { return state_->has_ended; })) {
    lock.unlock();
    if (thread_.joinable()) thread_.join();
    close_own(state_->file);
  } else {
    thread_.detach();
  }
}

void LogWriter::write(std::string line) {
  const std::lock_guard lock(state_->mutex);
  if (is_plain_) return write_line(state_->file, line, IfFull::drop);
  if (state_->bytes + line.size() > kMostWaiting) {
    ++state_->dropped;
    return;
  }
  if (const auto count = std::exchange(state_->dropped, 0); count > 0)
    line.insert(0, state_->dropped_line(count));
  state_->bytes += line.size();
  state_->waiting.push_back(std::move(line));
  state_->changed.notify_all();
}

void LogWriter::replace(int file) {
  const std::lock_guard lock(state_->mutex);
  close_own(is_plain_ ? std::exchange(state_->file, file) : file);
}

void LogWriter::work(State& state) {
  std::unique_lock lock(state.mutex);
  for (;;) {
    state.changed.wait(lock, [&] { return state.is_ending || !state.waiting.empty(); });
    if (state.waiting.empty()) break;
    const std::string line = std::move(state.waiting.front());
    state.waiting.pop_front();
    lock.unlock();
    write_line(state.file, line, IfFull::wait);
    lock.lock();
    state.bytes -= line.size();
  }
  state.has_ended = true;
  state.changed.notify_all();
}

}  // namespace vibe::server
