#include "base/process.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <spawn.h>

#include "base/file.h"
#include "base/text.h"

namespace vibe::base {

std::string shown_program(std::string_view name) {
  return '`' + shorten(printable(name), 80) + '`';
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostErrors = 8u << 10;  // bytes kept at each end
constexpr int kPollWithoutPidfd = 10;          // milliseconds

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() { close(); }

  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

struct Pipe {
  Fd read, write;
};

// Moves a descriptor above standard input, output and error, which may be closed in our own
// process: otherwise one end could overwrite the other when both are moved in the child.
bool move_up(Fd& fd) {
  if (fd.get() > STDERR_FILENO) return true;
  fd = Fd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  return fd.get() >= 0;
}

bool open_pipe(Pipe& pipe) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  pipe.read = Fd(ends[0]);
  pipe.write = Fd(ends[1]);
  return move_up(pipe.read) && move_up(pipe.write);
}

void set_nonblocking(const Fd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

// Writing to a program that does not read must not kill us. SIGPIPE goes to the thread that wrote,
// so it is enough to block it here and to discard it.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;
  ~WithoutPipeSignal() {
    const timespec now{};
    if (!was_pending_)
      while (::sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
      }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_, before_;
  bool was_pending_;
};

// The first and the last bytes of a stream.
class Ends {
 public:
  void add(std::string_view bytes) {
    const std::size_t room = std::min(kMostErrors - head_.size(), bytes.size());
    head_ += bytes.substr(0, room);
    tail_ += bytes.substr(room);
    if (tail_.size() > 2 * kMostErrors) {
      tail_.erase(0, tail_.size() - kMostErrors);
      cut_ = true;
    }
  }
  std::string text() const { return head_ + (cut_ ? "\n…\n" : "") + tail_; }

 private:
  std::string head_, tail_;
  bool cut_ = false;
};

class Attributes {
 public:
  Attributes() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  void give(const Fd& fd, int as) { ::posix_spawn_file_actions_adddup2(&actions_, fd.get(), as); }
  void close_others() { ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1); }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// The process groups that are running, for kill_programs(); 0: a free slot. With more programs than
// slots, some are not listed.
constexpr std::size_t kMostGroups = 4096;
constinit std::array<std::atomic<pid_t>, kMostGroups> g_groups{};

class Listed {
 public:
  Listed() = default;
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;
  ~Listed() { remove(); }

  void add(pid_t group) {
    for (auto& place : g_groups) {
      pid_t free = 0;
      if (!place.compare_exchange_strong(free, group)) continue;
      place_ = &place;
      return;
    }
  }
  void remove() {
    if (place_ != nullptr) std::exchange(place_, nullptr)->store(0);
  }

 private:
  std::atomic<pid_t>* place_ = nullptr;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  return out;
}

class Run {
 public:
  Run(const Command& command, const StopSignal* stop) : command_(command), stop_(stop) {}

  Finished finish() {
    const auto begin = Clock::now();
    const double most = std::min(std::max(command_.timeout, 0.0), 1e9);
    deadline_ =
        begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(most));
    if (const int error = start(); error != 0) {
      result_.errors = reason_and_hint(error);
      return std::move(result_);
    }
    const WithoutPipeSignal quiet;
    while (!ended_) step();
    end();
    result_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (result_.how != Finished::How::lost) result_.errors = errors_.text();
    return std::move(result_);
  }

 private:
  int start() {
    Pipe in, out, err;
    if (!open_pipe(in) || !open_pipe(out) || !open_pipe(err)) return errno;
    Attributes how;
    how.give(in.read, STDIN_FILENO);
    how.give(out.write, STDOUT_FILENO);
    how.give(err.write, STDERR_FILENO);
    how.close_others();
    auto arguments = pointers(command_.arguments);
    arguments.push_back(nullptr);
    auto environment = pointers(command_.environment);
    for (char** entry = environ; entry && *entry; ++entry)
      if (!is_given(*entry)) environment.push_back(*entry);
    environment.push_back(nullptr);
    if (const int error = ::posix_spawn(&pid_, command_.program.c_str(), how.actions(),
                                        how.attributes(), arguments.data(), environment.data()))
      return error;
    listed_.add(pid_);
    // May fail; then step() polls.
    pidfd_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    in_ = std::move(in.write);
    out_ = std::move(out.read);
    err_ = std::move(err.read);
    for (const Fd* fd : {&in_, &out_, &err_}) set_nonblocking(*fd);
    if (command_.input.empty()) in_.close();
    return 0;
  }

  // If a name occurs twice, shells use the last one, and getenv the first one.
  bool is_given(std::string_view entry) const {
    const std::string_view name = entry.substr(0, entry.find('=') + 1);
    return std::any_of(command_.environment.begin(), command_.environment.end(),
                       [&](const std::string& given) { return given.starts_with(name); });
  }

  // Waits until something happens, and handles it.
  void step() {
    constexpr std::size_t kExit = 0, kStop = 1, kIn = 2, kOut = 3, kErr = 4, kAll = 5;
    std::array<pollfd, kAll> polled{};
    polled[kExit] = {pidfd_.get(), POLLIN, 0};
    polled[kStop] = {stop_ ? stop_->descriptor() : -1, POLLIN, 0};
    polled[kIn] = {in_.get(), POLLOUT, 0};
    polled[kOut] = {out_.get(), POLLIN, 0};
    polled[kErr] = {err_.get(), POLLIN, 0};
    const int got = ::poll(polled.data(), polled.size(), wait_time());
    if (got < 0 && errno != EINTR) {
      result_.errors = reason(errno);
      return finish_as(Finished::How::lost);
    }
    if (polled[kStop].revents) return finish_as(Finished::How::stopped);
    if (polled[kIn].revents) write_some();
    if (polled[kOut].revents) read_output(kChunk);
    if (polled[kErr].revents) read_errors();
    if (ended_) return;
    if (polled[kExit].revents || (pidfd_.get() < 0 && has_exited())) {
      result_.how = Finished::How::exited;
      ended_ = true;
    } else if (Clock::now() >= deadline_) {
      finish_as(Finished::How::timed_out);
    }
  }

  int wait_time() const {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
    const auto most = pidfd_.get() < 0 ? kPollWithoutPidfd : 60'000;
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, most));
  }

  void finish_as(Finished::How how) {
    result_.how = how;
    ended_ = true;
  }

  bool has_exited() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid_;
  }

  void write_some() {
    const std::string_view left = std::string_view(command_.input).substr(written_);
    const ssize_t count = ::write(in_.get(), left.data(), std::min(left.size(), kChunk));
    if (count > 0) written_ += static_cast<std::size_t>(count);
    if (written_ == command_.input.size() || (count < 0 && errno != EAGAIN && errno != EINTR))
      in_.close();  // all was written, or the program does not read it
  }

  // The number of bytes read: 0 if there is nothing now, or nothing more.
  std::size_t read_output(std::size_t most) {
    const std::size_t count = read_some(out_, most);
    const std::size_t room = command_.most_output - result_.output.size();
    result_.output.append(buffer_.data(), std::min(count, room));
    if (count > room) finish_as(Finished::How::too_large);
    return count;
  }

  std::size_t read_errors() {
    const std::size_t count = read_some(err_, kChunk);
    errors_.add({buffer_.data(), count});
    return count;
  }

  std::size_t read_some(Fd& fd, std::size_t most) {
    const ssize_t count = ::read(fd.get(), buffer_.data(), std::min(most, buffer_.size()));
    if (count > 0) return static_cast<std::size_t>(count);
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) fd.close();
    return 0;
  }

  // Kills the group before the process is reaped, so that its id cannot be reused.
  void end() {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);  // the group may not exist yet
    if (result_.how == Finished::How::exited) drain();
    listed_.remove();
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    if (result_.how != Finished::How::exited) return;
    if (WIFSIGNALED(status)) result_.how = Finished::How::signalled;
    result_.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }

  // What the program wrote before it ended is in the pipes; what comes later is from its children.
  void drain() {
    for (std::size_t left = pipe_size(out_); out_.get() >= 0 && left > 0;) {
      const std::size_t count = read_output(left);
      if (count == 0) break;
      left -= count;
    }
    for (std::size_t left = pipe_size(err_); err_.get() >= 0 && left > 0;) {
      const std::size_t count = read_errors();
      if (count == 0) break;
      left -= std::min(left, count);
    }
  }

  static std::size_t pipe_size(const Fd& fd) {
    const int size = fd.get() >= 0 ? ::fcntl(fd.get(), F_GETPIPE_SZ) : 0;
    return size > 0 ? static_cast<std::size_t>(size) : kChunk;
  }

  const Command& command_;
  const StopSignal* stop_;
  Clock::time_point deadline_;
  pid_t pid_ = -1;
  Listed listed_;
  Fd pidfd_, in_, out_, err_;
  std::size_t written_ = 0;
  bool ended_ = false;
  Ends errors_;
  std::vector<char> buffer_ = std::vector<char>(kChunk);
  Finished result_;
};

bool can_run(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

StopSignal::StopSignal() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

StopSignal::~StopSignal() {
  if (fd_ >= 0) ::close(fd_);
}

void StopSignal::stop() {
  const std::uint64_t one = 1;
  while (::write(fd_, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

namespace {

std::string in_words(const Finished& finished, const Command& command) {
  using How = Finished::How;
  const std::string name = shown_program(command.arguments.front());
  switch (finished.how) {
    case How::exited: return fmt::format("{} exited with code {}", name, finished.status);
    case How::signalled:
      return fmt::format("{} was killed by a signal ({})", name, signal_name(finished.status));
    case How::timed_out: return fmt::format("{} took longer than {} s", name, command.timeout);
    case How::stopped: return "cancelled";
    case How::too_large:
      return fmt::format("{} wrote more than {} MiB", name, command.most_output >> 20);
    case How::not_started: return name + " cannot be started";
    case How::lost: return name + " cannot be waited for";
  }
  std::abort();
}

}  // namespace

void kill_programs() {
  for (const auto& place : g_groups)
    if (const pid_t group = place.load(); group > 0) ::kill(-group, SIGKILL);
}

Finished run(const Command& command, const StopSignal* stop) {
  Finished out = Run(command, stop).finish();
  out.words = in_words(out, command);
  return out;
}

std::string no_program(std::string_view name) {
  return "there is no program " + shown_program(name);
}

std::string_view where_programs_are(std::string_view name) {
  return name.find('/') == std::string_view::npos
             ? "vibe searched the folders in `PATH`"
             : "the path is relative to the current folder, and the file must be executable";
}

Result<std::vector<std::string>> split_command(std::string_view line) {
  if (line.find('\0') != std::string_view::npos)
    return fail(Code::bad_config, {}, "the command contains a NUL byte");
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '\0' && is_space(c)) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    std::string& word = words.back();
    const bool has_next = i + 1 < line.size();
    if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && has_next &&
               (quote == '\0' || (quote == '"' && (line[i + 1] == '"' || line[i + 1] == '\\')))) {
      word += line[++i];
    } else {
      word += c;
    }
  }
  if (quote != '\0')
    return fail(Code::bad_config, {},
                fmt::format("the quote {} in the command is not closed", quote),
                "vibe splits the command into words like a shell, but runs it without one");
  return words;
}

std::string quote_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::optional<std::string> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return can_run(name) ? std::optional(name) : std::nullopt;
  if (name.empty()) return std::nullopt;
  const char* variable = std::getenv("PATH");
  std::string_view path = variable ? variable : "/usr/local/bin:/usr/bin:/bin";
  while (true) {
    const std::string_view folder = path.substr(0, path.find(':'));
    std::string file = (folder.empty() ? "." : std::string(folder)) + "/" + name;
    if (can_run(file)) return file;
    if (folder.size() == path.size()) return std::nullopt;
    path.remove_prefix(folder.size() + 1);
  }
}

std::string signal_name(int signal) {
  const char* name = ::sigdescr_np(signal);
  std::string text = name ? name : "signal " + std::to_string(signal);
  text[0] = lower_ascii(text[0]);
  return text;
}

std::string_view telling_line(std::string_view text) {
  text = trim(text);
  return trim(text.starts_with("Traceback ") ? text.substr(text.rfind('\n') + 1)
                                             : text.substr(0, text.find('\n')));
}

}  // namespace vibe::base
