#include "base/yaml_syntax.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace vibe::base {
namespace {

enum class Point { problem, context };

// Whether to advise quoting the line's value instead, if it needs quotes.
enum class Quoting { no, yes, after_value };  // the last: the value ended too early

struct Row {
  std::string_view problem, context;  // in libyaml's words; empty: any
  std::string_view message, hint;
  Point point = Point::problem;
  Quoting quoting = Quoting::no;
};

constexpr std::string_view kAfterValue = "text after the end of a value";

constexpr std::array kRows{
    Row{"mapping values are not allowed in this context", "", "`:` is not allowed here",
        "indent this line like the ones around it, or quote the text if `:` is part of it",
        Point::problem, Quoting::yes},
    Row{"could not find expected ':'", "while scanning a simple key", "a key without `:`",
        "write `key: value`, and indent a line that continues the value above it", Point::context},
    Row{"block sequence entries are not allowed in this context", "",
        "a list entry is not allowed here",
        "begin the list on the line after its key, each entry on its own line", Point::problem},
    Row{"mapping keys are not allowed in this context", "", "`?` is not allowed here",
        "quote text that begins with `?`", Point::problem, Quoting::yes},
    Row{"found a tab character where an indentation space is expected", "",
        "a tab in the indentation", "indent with spaces", Point::problem},
    Row{"found a tab character that violates indentation", "", "a tab in the indentation",
        "indent with spaces", Point::problem},
    Row{"found unexpected end of stream", "while scanning a quoted scalar",
        "a quote that is not closed", "", Point::context},
    Row{"found unexpected document indicator", "while scanning a quoted scalar",
        "a quote that is not closed", "", Point::context},
    Row{"found unknown escape character", "", "an unknown escape",
        "write `\\\\` for a backslash, or put the text in single quotes, where a backslash has no "
        "special meaning",
        Point::problem},
    Row{"did not find expected hexdecimal number", "", "an escape with too few hexadecimal digits",
        "`\\x` takes two digits, `\\u` four, `\\U` eight", Point::problem},
    Row{"found invalid Unicode character escape code", "", "an escape that is not a character",
        "the largest is `\\U0010FFFF`; `\\uD800` to `\\uDBFF` are half a character; one of "
        "`\\uDC00` to `\\uDFFF` must follow",
        Point::problem},
    Row{"did not find expected alphabetic or numeric character", "while scanning an alias",
        "`*` is not followed by an anchor name", "quote text that begins with `*`", Point::context,
        Quoting::yes},
    Row{"did not find expected alphabetic or numeric character", "while scanning an anchor",
        "`&` is not followed by an anchor name", "quote text that begins with `&`", Point::context,
        Quoting::yes},
    Row{"did not find expected comment or line break", "while scanning a block scalar",
        "text on the same line as `|` or `>`", "begin the text on the next line", Point::problem,
        Quoting::yes},
    Row{"found an indentation indicator equal to 0", "", "an indentation of 0 spaces",
        "write the number of spaces, 1 to 9, or none", Point::problem},
    Row{"did not find expected key", "", "this does not continue the table it is in",
        "indent all keys of a table equally", Point::problem, Quoting::after_value},
    Row{"did not find expected '-' indicator", "", "this does not continue the list it is in",
        "begin each entry with `- `, and indent all entries equally", Point::problem,
        Quoting::after_value},
    Row{"did not find expected <document start>", "",
        "this line does not fit the structure above it", "indent it like the lines above it",
        Point::problem, Quoting::after_value},
    Row{"did not find expected node content", "", "a value is missing here", "", Point::problem,
        Quoting::yes},
    Row{"found undefined tag handle", "", "an unknown tag", "quote text that begins with `!`",
        Point::context, Quoting::yes},
    Row{"", "while scanning a tag", "a malformed tag", "quote text that begins with `!`",
        Point::context, Quoting::yes},
    Row{"", "while parsing a tag", "a malformed tag", "quote text that begins with `!`",
        Point::context, Quoting::yes},
    Row{"", "while scanning a directive", "a malformed directive",
        "a line that begins with `%` is a directive; indent or quote it if it is text",
        Point::context},
    Row{"", "while scanning a %YAML directive", "a malformed `%YAML` directive", "leave it out",
        Point::context},
    Row{"", "while scanning a %TAG directive", "a malformed `%TAG` directive", "leave it out",
        Point::context},
    Row{"found incompatible YAML document", "", "an unsupported YAML version", "leave `%YAML` out",
        Point::problem},
};

const Row* find_row(const YamlComplaint& complaint) {
  for (const Row& row : kRows)
    if ((row.problem.empty() || row.problem == complaint.problem) &&
        complaint.context.starts_with(row.context))
      return &row;
  return nullptr;
}

Span one_character(const Source& source, std::uint32_t offset) {
  const std::string_view text = source.text();
  if (offset >= text.size())
    return {static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(text.size())};
  return {offset, offset + static_cast<std::uint32_t>(decode(text, offset).length)};
}

std::uint32_t line_of(const Source& source, std::uint32_t offset) {
  return source.position(offset).line;
}

// `- key: value`, split; the key is empty if a list entry has none.
struct Line {
  std::string_view key, value;
};

std::optional<Line> split_line(std::string_view line) {
  line = trim(line);
  bool entry = false;
  while (line.starts_with("- ")) {
    line = trim(line.substr(2));
    entry = true;
  }
  constexpr std::string_view kNotInKeys = "\"'{}[]*&!|>%@`#,";
  const std::size_t colon = line.find(": ");
  Line found{{}, line};
  if (colon != line.npos && colon > 0 &&
      line.substr(0, colon).find_first_of(kNotInKeys) == line.npos) {
    found.key = trim(line.substr(0, colon));
    found.value = trim(line.substr(colon + 1));
  } else if (!entry) {
    return std::nullopt;
  }
  if (const std::size_t comment = found.value.find(" #"); comment != found.value.npos)
    found.value = trim(found.value.substr(0, comment));
  return found;
}

std::string in_yaml_quotes(std::string_view value) {
  const std::string shown = shorten(value, 60);
  if (shown.find_first_of("\"\\") == shown.npos) return fmt::format("\"{}\"", shown);
  std::string out = "'";
  for (const char byte : shown) {
    if (byte == '\'') out += '\'';
    out += byte;
  }
  return out + "'";
}

// A missing closing bracket, or a missing comma between two entries.
YamlAdvice advise_on_brackets(const Source& source, const YamlComplaint& complaint) {
  const std::string_view text = source.text();
  const bool known = complaint.context_at < text.size();
  const char open = known ? text[complaint.context_at] : '[';
  const char close = open == '{' ? '}' : ']';
  const std::uint32_t opened = line_of(source, complaint.context_at);
  if (complaint.problem_at >= text.size() || line_of(source, complaint.problem_at) != opened)
    return {fmt::format("`{}` is not closed", open), fmt::format("close it with `{}`", close),
            one_character(source, complaint.context_at)};
  return {fmt::format("`,` or `{}` is expected here", close),
          fmt::format("put a comma between two entries, and `{}` after the last", close),
          one_character(source, complaint.problem_at)};
}

YamlAdvice advise_on_character(const Source& source, std::uint32_t offset) {
  const Span span = one_character(source, offset);
  const std::string_view seen = slice(source.text(), span);
  if (seen == "\t") return {"a tab in the indentation", "indent with spaces", span};
  std::string hint = quote_hint(source, offset);
  if (hint.empty()) hint = "quote the text";
  const std::string message = seen == "`" ? "text cannot begin with a backtick"
                                          : fmt::format("text cannot begin with `{}`", seen);
  return {message, std::move(hint), span};
}

}  // namespace

std::string quote_hint(const Source& source, std::uint32_t offset) {
  constexpr std::string_view kNeedsQuotes = "{[\"'*&%@`|>!?";
  const std::string_view text = source.line_at(offset);
  constexpr std::size_t kMostBytes = 4096;  // longest line that is analysed
  const auto line = split_line(text.substr(0, kMostBytes));
  if (!line || line->value.empty()) return {};
  const bool begins_badly = kNeedsQuotes.find(line->value.front()) != kNeedsQuotes.npos;
  const bool has_colon = !line->key.empty() &&
                         (line->value.find(": ") != line->value.npos || line->value.ends_with(':'));
  if (!begins_badly && !has_colon) return {};
  if (line->key.empty()) return fmt::format("quote the value: `- {}`", in_yaml_quotes(line->value));
  return fmt::format("quote the value: `{}: {}`", shorten(line->key, 40),
                     in_yaml_quotes(line->value));
}

YamlAdvice advise(const Source& source, const YamlComplaint& complaint) {
  if (complaint.problem == "found character that cannot start any token")
    return advise_on_character(source, complaint.problem_at);
  if (complaint.problem.starts_with("did not find expected ',' or"))
    return advise_on_brackets(source, complaint);

  const Row* row = find_row(complaint);
  if (row == nullptr)
    return {std::string(complaint.problem), std::string(complaint.context),
            one_character(source, complaint.problem_at)};

  const std::uint32_t place =
      row->point == Point::context ? complaint.context_at : complaint.problem_at;
  YamlAdvice advice{std::string(row->message), std::string(row->hint),
                    one_character(source, place)};
  if (row->message == "a quote that is not closed") {
    const bool single = source.text().substr(place).starts_with('\'');
    advice.hint = fmt::format("close it with `{}`", single ? '\'' : '"');
  }
  if (row->message == "an unknown escape" && place + 1 < source.text().size()) {
    advice.span.end = one_character(source, place + 1).end;
    advice.message += fmt::format(" `{}`", source.text().substr(place, advice.span.end - place));
  }
  if (row->message == "an escape that is not a character" && place >= 2) {  // at its digits
    const std::uint32_t digits = source.text()[place - 1] == 'U' ? 8 : 4;
    advice.span = {place - 2, place + digits};
    advice.message += fmt::format(" `{}`", slice(source.text(), advice.span));
  }
  if (row->quoting == Quoting::no) return advice;
  const std::uint32_t line = line_of(source, place);
  const auto& quote = complaint.last_quoted;
  if (quote && line_of(source, quote->begin) != line && line_of(source, quote->end) == line) {
    advice.hint = fmt::format(
        "the quote opened on line {} is closed on this line: is its closing quote missing there?",
        line_of(source, quote->begin));
  } else if (std::string hint = quote_hint(source, place); !hint.empty()) {
    advice.hint = std::move(hint);
    if (row->quoting == Quoting::after_value) advice.message = kAfterValue;
  }
  return advice;
}

}  // namespace vibe::base
