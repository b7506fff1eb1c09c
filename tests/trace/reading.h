// Reads logs that tests hold as text, as `vibe fitness show` reads files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "price/price.h"
#include "trace/read.h"

namespace vibe::trace {

struct LogText {
  std::string format;  // empty: not told
  std::vector<Execution> executions;
  BadLines bad;
  base::Diagnostics problems;
};

inline LogText read_text(std::string text, std::size_t threads = 1, bool keep_calls = true) {
  static const ErrorPatterns errors;
  static const price::PriceTable table;
  static const Prices prices(table);
  const Options options{
      .keep_calls = keep_calls, .threads = threads, .errors = errors, .prices = prices};
  LogText out;
  const auto format = tell_format(text, "log");
  if (!format) {
    out.problems = format.error();
    return out;
  }
  Reading reading("log", options);
  (*format)->read(base::Input::of("log", std::move(text)), reading);
  out.format = (*format)->name;
  out.bad = reading.bad_lines();
  out.problems = reading.problems();
  out.executions = reading.finish(out.format);
  return out;
}

// Of a log with one session.
inline Execution read_one(std::string text) {
  auto read = read_text(std::move(text));
  EXPECT_EQ(read.executions.size(), 1u) << read.format;
  return read.executions.empty() ? Execution{} : std::move(read.executions.front());
}

}  // namespace vibe::trace
