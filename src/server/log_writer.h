// LogWriter: writes lines to a file, a pipe or a terminal. write() never waits for a reader: a
// thread writes to everything but regular files, from a queue of limited size. Lines that find the
// queue or the disk full are dropped and counted; the next line that can be written says how many.
// Each line is one write(2), so that lines of several processes do not mix. Safe from any thread.
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

  // `file`: closed at the end, unless it is one of the standard ones. `dropped`: makes the line
  // that says how many are missing before it.
  LogWriter(int file, std::string (*dropped)(std::uint64_t count));
  ~LogWriter();  // waiting lines get one more second
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  void write(std::string line);
  void replace(int file);  // later lines go there, if the current file is a regular one

 private:
  struct Line {
    std::string text;
    std::uint64_t missing = 0;  // lines dropped before it
  };
  // The thread may be stuck in a write when the LogWriter is destroyed.
  struct State {
    std::string (*dropped_line)(std::uint64_t count) = nullptr;
    bool waits = false;    // the thread waits for room
    bool is_torn = false;  // the last line was written in part; for the writer only
    std::mutex mutex;      // for all below
    std::condition_variable changed;
    int file = -1;
    std::deque<Line> waiting;
    std::size_t bytes = 0;
    std::uint64_t dropped = 0;
    bool is_ending = false, has_ended = false;
  };
  static bool put(State& state, const Line& line);
  static void work(State& state);

  const bool is_regular_;
  const std::shared_ptr<State> state_;
  std::thread thread_;  // not for a regular file
};

}  // namespace vibe::server
