#include "model_server/directive.h"

#include <charconv>
#include <cstdlib>

namespace model_server {

namespace {

double number(std::string_view text) { return std::strtod(std::string(text).c_str(), nullptr); }

int integer(std::string_view text) { return static_cast<int>(number(text)); }

std::string_view take_until(std::string_view& text, char end) {
  const auto at = text.find(end);
  const auto out = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + 1);
  return out;
}

void read_fail(Directives& out, std::string_view value) {  // `429x2,retry-after=1`
  auto what = take_until(value, ',');
  out.counts = true;
  out.fail.status = integer(take_until(what, 'x'));
  if (!what.empty()) out.fail.times = integer(what);
  while (!value.empty()) {
    auto option = take_until(value, ',');
    const auto name = take_until(option, '=');
    if (name == "retry-after") out.fail.retry_after = option;
    if (name == "retry-after-ms") out.fail.retry_after_ms = option;
    if (name == "retry-date") out.fail.retry_date = integer(option);
  }
}

void read_reset(Directives& out, std::string_view value) {
  out.counts = true;
  out.reset_times = value.empty() ? -1 : integer(value);
}

constexpr bool kBare = true, kValued = false;

}  // namespace

const std::array<DirectiveRow, 22> kDirectives{{
    {"say", "\"TEXT\"", "answers the text", kValued,
     [](Directives& out, std::string_view value) { out.say = value; }},
    {"latency", "MS", "answers after MS milliseconds", kValued,
     [](Directives& out, std::string_view value) { out.latency = number(value); }},
    {"fail", "STATUS[xN][,retry-after=S][,retry-after-ms=MS][,retry-date=S]",
     "the first N requests with this very prompt (all, without N) get the provider's own error "
     "body and its rate-limit headers",
     kValued, read_fail},
    {"reset", "[N]", "the connection is reset in the middle of the body, N times", kBare,
     read_reset},
    {"drip", "MS", "the body comes byte by byte, MS milliseconds apart", kValued,
     [](Directives& out, std::string_view value) { out.drip = number(value); }},
    {"truncate", "[json|connection]",
     "half the JSON as a whole body, or a connection closed in the middle of it", kBare,
     [](Directives& out, std::string_view value) {
       out.truncate =
           value == "connection" ? Directives::Truncate::connection : Directives::Truncate::json;
     }},
    {"type", "TYPE", "a page of HTML as the body, of that content type", kValued,
     [](Directives& out, std::string_view value) { out.type = value; }},
    {"huge", "BYTES", "answers a text of that size", kValued,
     [](Directives& out, std::string_view value) {
       out.huge = static_cast<std::size_t>(number(value));
     }},
    {"nul", "", "a NUL in the answer, escaped", kBare,
     [](Directives& out, std::string_view) { out.nul = true; }},
    {"badutf8", "", "bytes in the answer that are not UTF-8", kBare,
     [](Directives& out, std::string_view) { out.bad_utf8 = true; }},
    {"empty", "", "answers an empty text", kBare,
     [](Directives& out, std::string_view) { out.empty = true; }},
    {"thinking", "", "thinks, and answers no text", kBare,
     [](Directives& out, std::string_view) { out.thinking = true; }},
    {"tool", "", "calls the tool `get_weather` instead of a text, though none may be offered",
     kBare,
     [](Directives& out, std::string_view) {
       out.tool = true;
       out.calls.emplace_back("get_weather", R"({"city":"Paris"})");
     }},
    {"call", "NAME[{JSON}]",
     "calls that tool, if tools are offered; may be there several times. The results, once they "
     "are there, end the answer",
     kValued,
     [](Directives& out, std::string_view value) {
       const auto brace = std::min(value.find('{'), value.size());
       const auto arguments = brace < value.size() ? value.substr(brace) : "{}";
       out.calls.emplace_back(value.substr(0, brace), arguments);
     }},
    {"rounds", "N", "calls the tools N times before it answers", kValued,
     [](Directives& out, std::string_view value) { out.rounds = integer(value); }},
    {"stop", "REASON", "why it stopped; `length` in the provider's word", kValued,
     [](Directives& out, std::string_view value) { out.stop = value; }},
    {"nousage", "", "states no tokens", kBare,
     [](Directives& out, std::string_view) { out.no_usage = true; }},
    {"cost", "DOLLARS", "states what it cost", kValued,
     [](Directives& out, std::string_view value) { out.cost = number(value); }},
    {"cached", "TOKENS", "this number of prompt tokens was read from the cache", kValued,
     [](Directives& out, std::string_view value) { out.cached = integer(value); }},
    {"cachewrite", "TOKENS", "this number of prompt tokens was written to the cache", kValued,
     [](Directives& out, std::string_view value) { out.cache_write = integer(value); }},
    {"reasoning", "TOKENS", "this number of thinking tokens, besides the text", kValued,
     [](Directives& out, std::string_view value) { out.reasoning = integer(value); }},
    {"vector", "short|empty|zeros|nan|null|huge",
     "an embedding with half its numbers, with none, with nothing but zeros, or with one number "
     "that cannot be used",
     kValued, [](Directives& out, std::string_view value) { out.vector = value; }},
}};

Directives read_directives(std::string_view prompt) {
  Directives out;
  bool leading = true;
  const auto apply = [&](const DirectiveRow& row, std::string_view value) {
    row.apply(out, value);
    out.any = true;
  };
  for (std::size_t at = 0; at < prompt.size();) {
    if (prompt[at] == ' ' || prompt[at] == '\n' || prompt[at] == '\t') {
      ++at;
      continue;
    }
    const auto end = std::min(prompt.find_first_of(" \n\t", at), prompt.size());
    const auto word = prompt.substr(at, end - at);
    if (word == "say" && prompt.substr(end).starts_with(" \"")) {
      const auto close = prompt.find('"', end + 2);
      apply(kDirectives[0], prompt.substr(end + 2, close - end - 2));
      at = close == prompt.npos ? prompt.size() : close + 1;
      continue;
    }
    const auto equals = word.find('=');
    bool found = false;
    for (const auto& row : kDirectives) {
      if (row.name != word.substr(0, equals) || row.name == "say") continue;
      if (equals == word.npos && !(row.bare && leading)) continue;
      apply(row, equals == word.npos ? std::string_view() : word.substr(equals + 1));
      found = true;
    }
    leading = leading && found;
    at = end;
  }
  return out;
}

}  // namespace model_server
