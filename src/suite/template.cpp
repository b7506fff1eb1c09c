#include "suite/template.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "check/reading.h"

namespace vibe::suite {

namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kMostProblems = 100;  // per text

bool word_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '_' || byte == '-' || byte == '.' || byte >= 0x80;
}

base::Span span_of(std::size_t begin, std::size_t end) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

struct Call {
  std::string_view function;
  Placeholder::Kind kind;
};

constexpr Call kCalls[] = {{"var", Placeholder::Kind::variable},
                           {"secret", Placeholder::Kind::secret}};

// `var (` at the start, spaces allowed: the call, and its length in bytes.
const Call* find_call(std::string_view content, std::size_t& length) {
  const std::size_t begin = std::min(content.find_first_not_of(" \t"), content.size());
  for (const auto& call : kCalls) {
    if (!content.substr(begin).starts_with(call.function)) continue;
    const auto open = content.find_first_not_of(" \t", begin + call.function.size());
    if (open == kNone || content[open] != '(') continue;
    length = open + 1;
    return &call;
  }
  return nullptr;
}

// The call that `{{vra('x')}}` probably means.
const Call* find_misspelt_call(std::string_view content) {
  content = base::trim(content);
  const std::size_t open = content.find('(');
  if (open == kNone) return nullptr;
  const std::string_view word = base::trim(content.substr(0, open));
  for (const auto& call : kCalls)
    if (base::edit_distance(word, call.function, 2) <= 2) return &call;
  return nullptr;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Template scan() {
    std::size_t close = 0;
    for (auto open = text_.find("{{"); open != kNone;) {
      if (text_.substr(open).starts_with("{{{")) {  // the innermost braces count
        ++open;
        continue;
      }
      const std::size_t begin = open + 2;
      if (close != kNone && close < begin) close = text_.find("}}", begin);
      const std::size_t next = text_.find("{{", begin);
      const bool closed = close != kNone && (next == kNone || close < next);
      read(open, closed ? close : std::min(next, text_.size()), closed);
      open = closed ? text_.find("{{", close + 2) : next;
    }
    return std::move(out_);
  }

 private:
  // text_[open] is the first opening brace; text_[end] the closing one, or the end of the text.
  void read(std::size_t open, std::size_t end, bool closed) {
    const std::string_view content = text_.substr(open + 2, end - open - 2);
    std::size_t length = 0;
    const Call* call = find_call(content, length);
    if (!call) {
      const auto name = base::trim(content);
      if (const Call* meant = closed ? find_misspelt_call(content) : nullptr)
        return add_problem(open, end + 2, fmt::format("{} is not a template", check::quoted(name)),
                           *meant, "name");
      if (closed && !name.empty())
        out_.placeholders.push_back({Placeholder::Kind::column, name, span_of(open, end + 2)});
      return;
    }
    if (!closed) {
      const std::size_t line_end = std::min(content.find('\n'), content.size());
      add_problem(open,
                  open + 2 + base::trim(content.substr(0, line_end)).size() +
                      (content.starts_with(' ') ? 1 : 0),
                  fmt::format("`{{{{{}(…)` without `}}}}`", call->function), *call, "name");
      return;
    }
    read_call(*call, open, open + 2 + length, end);
  }

  // `begin` is after the parenthesis, `end` is the closing brace.
  void read_call(const Call& call, std::size_t open, std::size_t begin, std::size_t end) {
    const std::string_view rest = base::trim(text_.substr(begin, end - begin));
    const std::size_t at = static_cast<std::size_t>(rest.data() - text_.data());
    if (!rest.ends_with(')')) {
      add_problem(open, end + 2, fmt::format("`{}(` without `)`", call.function), call, "name");
      return;
    }
    const std::string_view argument = base::trim(rest.substr(0, rest.size() - 1));
    const std::size_t argument_at =
        argument.empty() ? at : static_cast<std::size_t>(argument.data() - text_.data());
    const char quote = argument.empty() ? '\0' : argument.front();
    const bool in_quotes =
        argument.size() >= 2 && (quote == '\'' || quote == '"') && argument.back() == quote;
    const std::string_view name = in_quotes ? argument.substr(1, argument.size() - 2) : argument;
    if (base::trim(name).empty())
      add_problem(argument_at, std::max(argument_at + argument.size(), argument_at + 1),
                  fmt::format("`{}()` without a name", call.function), call, "name");
    else if (!in_quotes)
      add_problem(argument_at, argument_at + argument.size(),
                  fmt::format("{} is not in quotes", check::quoted(argument)), call,
                  name.find_first_of("'\"") == kNone ? name : "name");
    else if (name.find_first_of("'\"") != kNone)
      add_problem(argument_at, argument_at + argument.size(), "a quote inside a name", call,
                  "name");
    else
      out_.placeholders.push_back({call.kind, name, span_of(open, end + 2)});
  }

  void add_problem(std::size_t begin, std::size_t end, std::string message, const Call& call,
                   std::string_view name) {
    if (out_.problems.size() < kMostProblems)
      out_.problems.push_back({std::move(message),
                               fmt::format("write `{{{{{}('{}')}}}}`", call.function, name),
                               span_of(begin, end)});
  }

  std::string_view text_;
  Template out_;
};

}  // namespace

Template scan_template(std::string_view text) { return Scanner(text).scan(); }

bool is_word(std::string_view name) {
  return std::all_of(name.begin(), name.end(), word_character);
}

bool is_phrase(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return c == ' ' || word_character(c); });
}

}  // namespace vibe::suite
