#include "results/lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/file.h"
#include "base/text.h"
#include "results/reading.h"

namespace vibe::results {

using base::Code;
using score::Sample;
using score::Samples;
using simdjson::dom::element;
using simdjson::dom::element_type;

namespace {

std::string_view describe(element_type type) {
  switch (type) {
    case element_type::ARRAY: return "a list";
    case element_type::OBJECT: return "an object";
    case element_type::INT64:
    case element_type::UINT64:
    case element_type::DOUBLE: return "a number";
    case element_type::STRING: return "text";
    case element_type::BOOL: return "true or false";
    case element_type::NULL_VALUE: return "null";
  }
  return "something else";
}

// `capitals[2]` is a sample of `capitals`.
std::string_view without_case(std::string_view name) {
  const std::size_t open = name.find('[');
  return open != std::string_view::npos && open > 0 && name.ends_with(']') ? name.substr(0, open)
                                                                           : name;
}

// What a character is about, outside of strings.
bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '+' || c == '-' || c == '.';
}

// Behind the string that begins at `at`.
std::size_t after_string(std::string_view line, std::size_t at) {
  for (++at; at < line.size() && line[at] != '"'; ++at)
    if (line[at] == '\\') ++at;
  return std::min(at + 1, line.size());
}

// The n-th member of the object that a line of valid JSON holds, from its key to its value.
std::string_view member(std::string_view line, std::size_t n) {
  std::size_t depth = 0, begin = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '"') at = after_string(line, at) - 1;
    if (depth == 1 && (c == ',' || c == '}')) {
      if (n-- == 0) return base::trim(line.substr(begin, at - begin));
      begin = at + 1;
    }
    if ((c == '{' || c == '[') && depth++ == 0) begin = at + 1;
    if (c == '}' || c == ']') --depth;
  }
  return line;
}

struct Mistake {
  std::string_view where;
  std::string message, hint;
};

class LinesReader {
 public:
  LinesReader(std::string name, Samples& samples, base::Diagnostics& out)
      : name_(std::move(name)), samples_(samples), out_(out) {}

  // False where the rest of the file is not worth reading.
  bool read_line(std::string_view line, std::uint64_t number) {
    const std::string_view trimmed = base::trim(line);
    if (trimmed.empty()) return true;
    line_ = line;
    number_ = number;
    ok_ = true;
    if (number == 1 && (trimmed == "[" || trimmed == "{")) {
      report(Code::bad_result_line, trimmed, "the file is one JSON document over several lines",
             trimmed == "[" ? kFromArray : kOneALine);
      return false;
    }
    if (!std::exchange(has_begun_, true) && !holds_json(trimmed)) {
      if (trimmed.find(',') == std::string_view::npos)
        read_text(line);
      else
        report(Code::bad_result_line, trimmed,
               "this is neither JSON nor a table as `vibe get run --csv` writes it",
               "write one JSON object a line; a table needs `eval_name` and `status`");
      return false;
    }
    read_text(line);
    return true;
  }

 private:
  static constexpr std::size_t kShown = 4096;  // bytes of a line that a message is about
  static constexpr const char *kOneALine = "write one JSON object a line",
                              *kUnknown = "write `null` where a figure is not known",
                              *kFromArray = "write one JSON object a line, as `jq -c '.[]'` does";

  // Or is meant to. What begins otherwise goes on so, and one error is enough.
  bool holds_json(std::string_view trimmed) {
    return trimmed[0] == '{' || trimmed[0] == '[' ||
           parser_.parse(trimmed.data(), trimmed.size()).error() == simdjson::SUCCESS;
  }

  void read_text(std::string_view line) {
    element document;
    // LineReader keeps enough readable bytes behind a line; simdjson need not copy it.
    if (const auto error = parser_.parse(line.data(), line.size(), false).get(document))
      return report_syntax(error);
    simdjson::dom::object object;
    if (document.get(object))
      return report(Code::bad_result_line, base::trim(line),
                    fmt::format("the line holds {}, not an object", describe(document.type())),
                    document.is_array() ? kFromArray : kOneALine);
    read_object(object);
  }

  void report(Code code, std::string_view where, std::string message, std::string hint = {}) {
    ok_ = false;
    const auto begin = static_cast<std::size_t>(where.data() - line_.data());
    const auto end = std::min(begin + where.size(), kShown);
    auto source = base::make_source(name_, std::string(line_.substr(0, kShown)),
                                    static_cast<std::uint32_t>(number_));
    const base::Span span{static_cast<std::uint32_t>(std::min(begin, end)),
                          static_cast<std::uint32_t>(end)};
    out_.add(code, {std::move(source), span}, std::move(message), std::move(hint));
  }

  void report_syntax(simdjson::error_code error) {
    Mistake mistake = find_mistake(error);
    report(Code::bad_result_line, mistake.where, std::move(mistake.message),
           std::move(mistake.hint));
  }
  Mistake find_mistake(simdjson::error_code error) {
    if (const auto bad = base::first_invalid(line_))
      return {line_.substr(*bad, 1), "the line is not UTF-8 text", ""};
    for (std::size_t at = 0; at < std::min(line_.size(), kShown);) {
      std::size_t end = at + 1;
      if (line_[at] == '"') {
        end = after_string(line_, at);
      } else if (line_[at] == '\'') {
        return {line_.substr(at, 1), "JSON has no single quotes", "write `\"` instead"};
      } else if (in_word(line_[at])) {
        while (end < line_.size() && in_word(line_[end])) ++end;
        const std::string_view word = line_.substr(at, end - at);
        if (parser_.parse(word.data(), word.size()).error()) return wrong_word(word);
      }
      at = end;
    }
    return {base::trim(line_), fmt::format("the line is not JSON: {}", reason(error)), kOneALine};
  }
  static Mistake wrong_word(std::string_view word) {
    constexpr std::array<std::string_view, 3> kWords{"true", "false", "null"};
    const std::string shown = base::shorten(word, 40);
    const bool number = word.find_first_of("0123456789") != std::string_view::npos;
    if (number)
      return {word, fmt::format("`{}` is not a number, or is too large", shown), kUnknown};
    std::string hint = base::did_you_mean(base::nearest(word, kWords));
    if (hint.empty()) hint = kUnknown;
    return {word, fmt::format("`{}` is not JSON", shown), std::move(hint)};
  }
  static std::string_view reason(simdjson::error_code error) {
    switch (error) {
      case simdjson::UNCLOSED_STRING: return "a string does not end";
      case simdjson::STRING_ERROR: return "a string holds a malformed escape";
      case simdjson::UNESCAPED_CHARS: return "a string holds a raw control character";
      case simdjson::DEPTH_ERROR: return "it is nested too deeply";
      default: return "a comma, colon, quote or bracket is missing or misplaced";
    }
  }

  void report_field(std::string message, std::string hint = {}) {
    report(Code::bad_result_field, member(line_, member_), std::move(message), std::move(hint));
  }

  void read_object(simdjson::dom::object object) {
    std::string_view name;
    Sample sample;
    std::optional<std::string> error;
    tags_.clear();
    std::array<int, kResultFields.size()> seen{};
    member_ = static_cast<std::size_t>(-1);
    for (const auto [key, value] : object) {
      ++member_;
      const auto row = std::find_if(kResultFields.begin(), kResultFields.end(),
                                    [&](const ResultField& f) { return f.name == key; });
      if (row == kResultFields.end()) continue;
      int& times = seen[static_cast<std::size_t>(row->field)];
      if (times == 2) continue;
      if (++times == 2) {
        report_field(fmt::format("`{}` appears twice in the line", key));
        continue;
      }
      switch (row->field) {
        case Field::name: read_name(value, name); break;
        case Field::passed: read_passed(value, sample.passed); break;
        case Field::latency: read_number(key, value, sample.latency); break;
        case Field::cost: read_number(key, value, sample.cost); break;
        case Field::prompt_tokens: read_count(key, value, sample.prompt_tokens); break;
        case Field::completion_tokens: read_count(key, value, sample.completion_tokens); break;
        case Field::output_quality: read_share(key, value, 1, sample.output_quality); break;
        case Field::structure_score: read_share(key, value, 1, sample.structure_score); break;
        case Field::fitness: read_share(key, value, 100, sample.fitness); break;
        case Field::error: error = read_error(value); break;
        case Field::tags: read_tags(value); break;
      }
    }
    if (seen[static_cast<std::size_t>(Field::passed)] == 0)
      report(Code::bad_result_field, base::trim(line_), "`passed` is missing",
             "each result says `\"passed\": true` or `false`");
    if (!ok_) return;
    const std::uint32_t eval = samples_.eval(name);
    for (const auto tag : tags_) samples_.tag(eval, tag);
    samples_.add(eval, sample);
    if (error && !sample.passed) samples_.add_errors(1, *error);
  }

  void wrong_type(std::string_view key, std::string_view wanted, const element& value) {
    report_field(fmt::format("`{}` is {}, not {}", key, describe(value.type()), wanted),
                 value.is_string() ? "write it without quotes" : "");
  }
  // What a terminal cannot show as it is has no place in a name that reports repeat.
  bool require_printable(std::string_view key, std::string_view text) {
    if (base::printable(text) == text) return true;
    report_field(fmt::format("`{}` holds a control character", key));
    return false;
  }

  void read_name(const element& value, std::string_view& name) {
    if (value.is_null()) return;
    if (value.get(name)) return wrong_type("name", "text", value);
    require_printable("name", name);
    name = without_case(name);
    if (name.size() > formula::kMaxNameBytes)
      report_field(
          fmt::format("`name` has {} bytes, more than {}", name.size(), formula::kMaxNameBytes));
  }
  void read_passed(const element& value, bool& passed) {
    if (value.get(passed))
      report_field(fmt::format("`passed` is {}, not true or false", describe(value.type())),
                   "write `true` or `false`, without quotes");
  }
  void read_number(std::string_view key, const element& value, double& number) {
    if (value.is_null()) return;
    double read = 0;
    if (value.get(read)) return wrong_type(key, "a number", value);
    if (read < 0) return report_field(fmt::format("`{}` is negative", key), kUnknown);
    number = read;
  }
  void read_count(std::string_view key, const element& value, double& number) {
    double read = formula::kUndefined;
    read_number(key, value, read);
    if (read != std::floor(read) && !std::isnan(read))
      return report_field(fmt::format("`{}` is not a whole number", key));
    number = read;
  }
  void read_share(std::string_view key, const element& value, double most, double& number) {
    double read = formula::kUndefined;
    read_number(key, value, read);
    if (read > most) return report_field(fmt::format("`{}` is more than {}", key, most), kUnknown);
    number = read;
  }
  // Tools write all kinds of things here, such as `false` and objects.
  static std::optional<std::string> read_error(const element& value) {
    bool is_one = true;
    std::string_view text;
    if (value.is_null() || (!value.get(is_one) && !is_one)) return std::nullopt;
    if (value.get(text)) return shown_error(simdjson::minify(value));
    return text.empty() ? std::nullopt : std::optional(shown_error(text));
  }
  void read_tags(const element& value) {
    if (value.is_null()) return;
    simdjson::dom::array list;
    if (value.get(list))
      return report_field(fmt::format("`tags` is {}, not a list of text", describe(value.type())),
                          value.is_string() ? "write it in square brackets" : "");
    for (const auto tag : list) {
      std::string_view text;
      if (tag.get(text))
        return report_field(fmt::format("`tags` holds {}, not text", describe(tag.type())));
      if (!require_printable("tags", text)) return;
      tags_.push_back(text);
    }
  }

  std::string name_;
  Samples& samples_;
  base::Diagnostics& out_;
  simdjson::dom::parser parser_;
  std::vector<std::string_view> tags_;
  std::string_view line_;
  std::uint64_t number_ = 0;
  std::size_t member_ = 0;  // of the line's object, the one that is read
  bool ok_ = true, has_begun_ = false;
};

}  // namespace

void read_lines(base::Input input, Samples& samples, base::Diagnostics& out) {
  LinesReader reader(input.name(), samples, out);
  base::LineReader lines(std::move(input));
  std::string_view line;
  while (true) {
    const auto more = lines.next(line);
    if (!more) out.append(more.error());
    if (!more || !*more) break;
    if (!reader.read_line(line, lines.line_number())) break;
  }
}

}  // namespace vibe::results
