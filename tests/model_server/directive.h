// Directives: what a prompt asks of the model server. A word `name=value` counts anywhere in the
// prompt, and so does `say "TEXT"`; a bare word counts only among the directives that the prompt
// begins with, so that prose may use it. `model_server --directives` prints the table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace model_server {

// How often: the first N requests with this very prompt; -1: always.
struct Failing {
  int status = 0;  // 0: none
  int times = -1;
  std::string retry_after, retry_after_ms;  // headers
  int retry_date = -1;                      // Retry-After as a date, seconds from now
};

struct Directives {
  std::optional<std::string> say;
  std::optional<double> latency;  // milliseconds
  Failing fail;
  int reset_times = 0;
  double drip = 0;  // milliseconds between two bytes; 0: at once
  enum class Truncate : std::uint8_t { none, json, connection } truncate = Truncate::none;
  std::string type;
  std::size_t huge = 0;
  bool nul = false, bad_utf8 = false, empty = false, thinking = false, tool = false;
  bool no_usage = false;
  std::vector<std::pair<std::string, std::string>> calls;  // tools' names and arguments
  int rounds = 1;                                          // of calls before the text
  std::string stop, vector;
  std::optional<double> cost;
  std::int64_t cached = 0, cache_write = 0, reasoning = 0;
  bool any = false;
  bool counts = false;  // depends on how often the prompt was seen
};

struct DirectiveRow {
  std::string_view name, takes, does;
  bool bare;  // may stand without a value
  void (*apply)(Directives&, std::string_view value);
};
extern const std::array<DirectiveRow, 22> kDirectives;

Directives read_directives(std::string_view prompt);

}  // namespace model_server
