// Reads logs that tests hold as text, as `vibe fitness show` reads files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "fitness/rubric.h"
#include "price/price.h"
#include "trace/read.h"

namespace vibe::trace {

struct LogText {
  std::string format;  // empty: not told
  std::vector<Execution> executions;
  BadLines bad;
  base::Diagnostics problems;
};

inline Options options_for(std::size_t threads, bool keep_calls) {
  const ErrorPatterns& errors = fitness::default_rubric().words.errors();
  static const price::PriceTable table;
  static const Prices prices(table);
  return {.keep_calls = keep_calls, .threads = threads, .errors = errors, .prices = prices};
}

inline LogText read_as(const LogFormat& format, std::string text, std::size_t threads = 1,
                       bool keep_calls = true) {
  const Options options = options_for(threads, keep_calls);
  Reading reading("log", options);
  format.read(base::Input::of("log", std::move(text)), reading);
  LogText out;
  out.format = format.name;
  out.bad = reading.bad_lines();
  out.problems = reading.problems();
  out.executions = reading.finish(out.format);
  return out;
}

inline LogText read_text(std::string text, std::size_t threads = 1, bool keep_calls = true) {
  const auto format = tell_format(text, "log");
  if (format) return read_as(**format, std::move(text), threads, keep_calls);
  LogText out;
  out.problems = format.error();
  return out;
}

// The only session of a log.
inline Execution only(LogText read) {
  EXPECT_EQ(read.executions.size(), 1u) << read.format;
  return read.executions.empty() ? Execution{} : std::move(read.executions.front());
}
inline Execution read_one(std::string text) { return only(read_text(std::move(text))); }

// A log with one session, cut off or with another byte anywhere: no more of them come of it than
// one that is broken in two.
inline void expect_few_of_broken(const LogFormat& format, const std::string& log) {
  for (std::size_t at = 0; at < log.size(); ++at) {
    EXPECT_LE(read_as(format, log.substr(0, at)).executions.size(), 1u);
    for (const char c : std::string_view(at % 20 == 0 ? "\"{]\\\xFF" : "")) {
      std::string garbled = log;
      garbled[at] = c;
      EXPECT_LE(read_as(format, garbled).executions.size(), 2u);
    }
  }
}

}  // namespace vibe::trace
