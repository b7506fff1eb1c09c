// Timing: the shortest and the median time of functions that are run in turn, so that other load on
// the machine slows all of them equally.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <vector>

namespace vibe::bench {

struct Times {
  std::vector<double> seconds;  // ascending

  double least() const { return seconds.front(); }
  double median() const { return seconds[seconds.size() / 2]; }
};

inline double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Every round runs each function twice in a row, so that the second run has warm caches. All runs
// count.
inline std::vector<Times> in_turn(std::size_t rounds,
                                  std::initializer_list<std::function<void()>> works) {
  std::vector<Times> times(works.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    std::size_t i = 0;
    for (const auto& work : works) {
      for (int again = 0; again < 2; ++again) times[i].seconds.push_back(seconds_of(work));
      ++i;
    }
  }
  for (auto& each : times) std::sort(each.seconds.begin(), each.seconds.end());
  return times;
}

}  // namespace vibe::bench
