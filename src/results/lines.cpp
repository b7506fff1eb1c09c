#include "results/lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json_dom.h"
#include "base/text.h"
#include "results/reading.h"

namespace vibe::results {

using base::Code;
using base::JsonType;
using base::JsonView;
using score::Sample;
using score::Samples;

namespace {

std::string_view describe(JsonType type) {
  switch (type) {
    case JsonType::array: return "a list";
    case JsonType::object: return "an object";
    case JsonType::number: return "a number";
    case JsonType::text: return "a string";
    case JsonType::boolean: return "true or false";
    case JsonType::null: return "null";
  }
  std::abort();
}

// The eval of a sample: `capitals[2]` belongs to `capitals`.
std::string_view without_case(std::string_view name) {
  const std::size_t open = name.find('[');
  return open != std::string_view::npos && open > 0 && name.ends_with(']') ? name.substr(0, open)
                                                                           : name;
}

// Whether a character outside of strings belongs to a word or a number.
bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '+' || c == '-' || c == '.';
}

// The position after the string that begins at `at`.
std::size_t after_string(std::string_view line, std::size_t at) {
  for (++at; at < line.size() && line[at] != '"'; ++at)
    if (line[at] == '\\') ++at;
  return std::min(at + 1, line.size());
}

// The n-th member, from its key to its value, of the object in a line of valid JSON.
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

  // False if the rest of the file is not worth reading.
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
               "this is neither JSON nor a table written by `vibe get run --csv`",
               "write one JSON object per line; a table needs `eval_name` and `status`");
      return false;
    }
    read_text(line);
    return true;
  }

 private:
  static constexpr std::size_t kMostDepth = 1024;
  static constexpr std::size_t kShown = 4096;  // bytes of a line that a diagnostic can show
  static constexpr const char *kOneALine = "write one JSON object per line",
                              *kUnknown = "write `null` if a figure is unknown",
                              *kFromArray = "write one JSON object per line, as `jq -c '.[]'` does";

  // Whether the first line is JSON, or tries to be. If not, one error for the file is enough.
  bool holds_json(std::string_view trimmed) {
    return trimmed[0] == '{' || trimmed[0] == '[' || json_.parse(trimmed).has_value();
  }

  void read_text(std::string_view line) {
    // LineReader keeps enough readable bytes after a line, so the parser need not copy it.
    const auto document = json_.parse(line, true);
    if (!document) return report_syntax(document.error());
    if (!document->is_object())
      return report(Code::bad_result_line, base::trim(line),
                    fmt::format("the line is {}, not an object", describe(document->type())),
                    document->is_array() ? kFromArray : kOneALine);
    read_object(*document);
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

  void report_syntax(base::JsonError error) {
    Mistake mistake = find_mistake(error);
    report(Code::bad_result_line, mistake.where, std::move(mistake.message),
           std::move(mistake.hint));
  }
  Mistake find_mistake(base::JsonError error) {
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
        if (!json_.parse(word)) return wrong_word(word);
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
  static std::string_view reason(base::JsonError error) {
    switch (error) {
      case base::JsonError::open_string: return "a string is not closed";
      case base::JsonError::bad_escape: return "a string contains a malformed escape";
      case base::JsonError::control_character: return "a string contains a raw control character";
      case base::JsonError::too_deep: return "it is nested too deeply";
      case base::JsonError::empty:
      case base::JsonError::not_utf8:
      case base::JsonError::misplaced: break;
    }
    return "a comma, colon, quote or bracket is missing or misplaced";
  }

  void report_field(std::string message, std::string hint = {}) {
    report(Code::bad_result_field, member(line_, member_), std::move(message), std::move(hint));
  }

  void read_object(const JsonView& object) {
    std::string_view name;
    Sample sample;
    std::optional<std::string> error;
    tags_.clear();
    std::array<int, kResultFields.size()> seen{};
    member_ = static_cast<std::size_t>(-1);
    object.members([&](std::string_view key, const JsonView& value) {
      ++member_;
      const auto row = std::find_if(kResultFields.begin(), kResultFields.end(),
                                    [&](const ResultField& f) { return f.name == key; });
      if (row == kResultFields.end()) return;
      int& times = seen[static_cast<std::size_t>(row->field)];
      if (times == 2) return;
      if (++times == 2) {
        report_field(fmt::format("`{}` appears twice in the line", key));
        return;
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
    });
    if (seen[static_cast<std::size_t>(Field::passed)] == 0)
      report(Code::bad_result_field, base::trim(line_), "`passed` is missing",
             "write `\"passed\": true` or `false` in each result");
    if (!ok_) return;
    const std::uint32_t eval = samples_.eval(name);
    for (const auto tag : tags_) samples_.tag(eval, tag);
    samples_.add(eval, sample);
    if (error && !sample.passed) samples_.add_errors(1, *error);
  }

  void wrong_type(std::string_view key, std::string_view wanted, const JsonView& value) {
    report_field(fmt::format("`{}` is {}, not {}", key, describe(value.type()), wanted),
                 value.type() == JsonType::text ? "write it without quotes" : "");
  }
  // Reports repeat names, so names must be printable.
  bool require_printable(std::string_view key, std::string_view text) {
    if (base::printable(text) == text) return true;
    report_field(fmt::format("`{}` contains a control character", key));
    return false;
  }

  void read_name(const JsonView& value, std::string_view& name) {
    if (value.is_null()) return;
    const auto text = value.text();
    if (!text) return wrong_type("name", "a string", value);
    name = *text;
    require_printable("name", name);
    name = without_case(name);
    if (name.size() > formula::kMaxNameBytes)
      report_field(fmt::format("`name` is {} bytes long; the limit is {}", name.size(),
                               formula::kMaxNameBytes));
  }
  void read_passed(const JsonView& value, bool& passed) {
    if (const auto given = value.boolean())
      passed = *given;
    else
      report_field(fmt::format("`passed` is {}, not true or false", describe(value.type())),
                   "write `true` or `false`, without quotes");
  }
  void read_number(std::string_view key, const JsonView& value, double& number) {
    if (value.is_null()) return;
    const auto read = value.number();
    if (!read) return wrong_type(key, "a number", value);
    if (*read < 0) return report_field(fmt::format("`{}` is negative", key), kUnknown);
    number = *read;
  }
  void read_count(std::string_view key, const JsonView& value, double& number) {
    double read = formula::kUndefined;
    read_number(key, value, read);
    if (read != std::floor(read) && !std::isnan(read))
      return report_field(fmt::format("`{}` is not a whole number", key));
    number = read;
  }
  void read_share(std::string_view key, const JsonView& value, double most, double& number) {
    double read = formula::kUndefined;
    read_number(key, value, read);
    if (read > most) return report_field(fmt::format("`{}` is more than {}", key, most), kUnknown);
    number = read;
  }
  // Tools write all kinds of things here, such as `false` and objects.
  static std::optional<std::string> read_error(const JsonView& value) {
    if (value.is_null() || value.boolean() == false) return std::nullopt;
    const auto text = value.text();
    if (!text) return shown_error(value.dump(kShown));
    return text->empty() ? std::nullopt : std::optional(shown_error(*text));
  }
  void read_tags(const JsonView& value) {
    if (value.is_null()) return;
    if (!value.is_array())
      return report_field(
          fmt::format("`tags` is {}, not a list of strings", describe(value.type())),
          value.type() == JsonType::text ? "write it in square brackets" : "");
    bool is_sound = true;
    value.each([&](const JsonView& tag) {
      if (is_sound) is_sound = read_tag(tag);
    });
  }
  bool read_tag(const JsonView& tag) {
    const auto text = tag.text();
    if (!text) {
      report_field(fmt::format("`tags` contains {}, not a string", describe(tag.type())));
      return false;
    }
    if (!require_printable("tags", *text)) return false;
    tags_.push_back(*text);
    return true;
  }

  std::string name_;
  Samples& samples_;
  base::Diagnostics& out_;
  base::JsonDom json_{kMostDepth};
  std::vector<std::string_view> tags_;
  std::string_view line_;
  std::uint64_t number_ = 0;
  std::size_t member_ = 0;  // index of the member being read in the line's object
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
