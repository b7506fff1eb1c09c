// LogWriter: lines for a file, a pipe or a terminal. Whoever has a line never waits for one that
// reads it: what is no plain file is written to by a thread, from a queue of limited size, and
// lines beyond it are dropped and counted. Each line is one write(2), so that lines of several
// processes do not mix. Safe from any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace vibe::server {

class LogWriter {
 public:
  static constexpr std::size_t kMostWaiting = 1u << 20;  // bytes of lines

  // `file`: closed at the end, unless it is one of the standard ones. `dropped`: the line that says
  // how many are missing before it.
  LogWriter(int file, std::string (*dropped)(std::uint64_t count));
  ~LogWriter();  // lines that wait have a second
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  void write(std::string line);
  void replace(int file);  // lines go there from here on; not where the first is no plain file

 private:
  // The thread may be stuck in a write when the rest of this ends.
  struct State {
    std::string (*dropped_line)(std::uint64_t count) = nullptr;
    std::mutex mutex;  // for all below
    std::condition_variable changed;
    int file = -1;
    std::deque<std::string> waiting;
    std::size_t bytes = 0;
    std::uint64_t dropped = 0;
    bool is_ending = false, has_ended = false;
  };
  static void work(State& state);

  const bool is_plain_;
  const std::shared_ptr<State> state_;
  std::thread thread_;  // not for a plain file
};

}  // namespace vibe::server
