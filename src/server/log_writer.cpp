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

// Returns the number of bytes written. Standard error may be non-blocking, because another process
// that shares it made it so: `waits` then waits for room.
std::size_t write_text(int file, std::string_view text, bool waits) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(file, text.data() + done, text.size() - done);
    if (written > 0) {
      done += static_cast<std::size_t>(written);
    } else if (written < 0 && errno == EAGAIN && waits) {
      pollfd place{.fd = file, .events = POLLOUT, .revents = 0};
      ::poll(&place, 1, -1);
    } else if (written == 0 || errno != EINTR) {
      break;
    }
  }
  return done;
}

bool is_regular_file(int file) {
  struct stat status{};
  return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

void close_own(int file) {
  if (file > STDERR_FILENO) ::close(file);
}

}  // namespace

LogWriter::LogWriter(int file, std::string (*dropped)(std::uint64_t count))
    : is_regular_(is_regular_file(file)), state_(std::make_shared<State>()) {
  state_->file = file;
  state_->dropped_line = dropped;
  state_->waits = !is_regular_;
  if (!is_regular_) thread_ = std::thread([state = state_] { work(*state); });
}

LogWriter::~LogWriter() {
  std::unique_lock lock(state_->mutex);
  if (Line last{{}, std::exchange(state_->dropped, 0)}; last.missing > 0) {
    if (is_regular_)
      put(*state_, last);
    else
      state_->waiting.push_back(std::move(last));
  }
  state_->is_ending = true;
  state_->changed.notify_all();
  if (is_regular_ ||
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
  if (!is_regular_ && state_->bytes + line.size() > kMostWaiting) {
    ++state_->dropped;
    return;
  }
  Line next{std::move(line), std::exchange(state_->dropped, 0)};
  if (is_regular_) {
    if (!put(*state_, next)) state_->dropped = next.missing + 1;
    return;
  }
  state_->bytes += next.text.size();
  state_->waiting.push_back(std::move(next));
  state_->changed.notify_all();
}

// False if it was not written whole.
bool LogWriter::put(State& state, const Line& line) {
  std::string text = state.is_torn ? "\n" : "";
  if (line.missing > 0) text += state.dropped_line(line.missing);
  text += line.text;
  const std::size_t written = write_text(state.file, text, state.waits);
  if (written > 0) state.is_torn = written < text.size();
  return written == text.size();
}

void LogWriter::replace(int file) {
  const std::lock_guard lock(state_->mutex);
  close_own(is_regular_ ? std::exchange(state_->file, file) : file);
}

void LogWriter::work(State& state) {
  std::unique_lock lock(state.mutex);
  for (;;) {
    state.changed.wait(lock, [&] { return state.is_ending || !state.waiting.empty(); });
    if (state.waiting.empty()) break;
    const Line line = std::move(state.waiting.front());
    state.waiting.pop_front();
    lock.unlock();
    const bool is_whole = put(state, line);
    lock.lock();
    state.bytes -= line.text.size();
    if (!is_whole) state.dropped += line.missing + 1;
  }
  state.has_ended = true;
  state.changed.notify_all();
}

}  // namespace vibe::server
