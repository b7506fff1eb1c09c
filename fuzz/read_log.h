// Shared by the log fuzzers: reads any bytes as a log in one format, and checks what must hold for
// every execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fitness/rubric.h"
#include "trace/own.h"
#include "trace/read.h"

namespace vibe::fuzz {

inline std::vector<trace::Execution> read_log(const trace::LogFormat& format, std::string bytes,
                                              std::size_t threads = 1, bool keep_calls = true) {
  const trace::ErrorPatterns& errors = fitness::default_rubric().words.errors();
  static const price::PriceTable table;
  static const trace::Prices prices(table);
  const trace::Options options{
      .keep_calls = keep_calls, .threads = threads, .errors = errors, .prices = prices};
  trace::Reading reading("fuzz", options);
  format.read(base::Input::of("fuzz", std::move(bytes)), reading);
  return reading.finish(format.name);
}

inline std::string written(const std::vector<trace::Execution>& executions,
                           bool with_calls = true) {
  std::string out;
  for (const auto& one : executions) {
    base::JsonWriter json;
    trace::write_json(json, one, with_calls);
    out += json.text() + "\n";
  }
  return out;
}

inline void check_log(std::string_view name, const std::uint8_t* data, std::size_t size) {
  const trace::LogFormat* format = trace::find_format(name);
  if (!format) __builtin_trap();
  const auto executions = read_log(*format, {reinterpret_cast<const char*>(data), size});
  for (const auto& one : executions) {
    if (name == "vibecheck") break;  // it states its own figures
    if (one.tool_calls != one.succeeded + one.failed + one.refused + one.unknown) __builtin_trap();
    // A record may state only the number of calls.
    const auto calls = static_cast<std::size_t>(one.tool_calls);
    if (name == "record" ? one.calls.size() > calls : one.calls.size() != calls) __builtin_trap();
    if (one.duration && *one.duration <= 0) __builtin_trap();
  }
  // Written executions read back unchanged.
  const std::string text = written(executions);
  if (written(read_log(*trace::find_format("vibecheck"), text)) != text) __builtin_trap();
}

}  // namespace vibe::fuzz
