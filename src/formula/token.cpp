#include "formula/token.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/decimal.h"
#include "base/text.h"
#include "formula/function.h"

namespace vibe::formula {

using base::Code;
using base::Span;

namespace {

// What people write from other languages, and its equivalent here. The lexer reports it and
// continues as if the equivalent were written.
struct Foreign {
  std::string_view text, hint;
  TokenKind kind;
  Keyword keyword = Keyword::and_;  // for a word
};

constexpr std::array kForeign{
    Foreign{"−", "write `-`", TokenKind::minus},
    Foreign{"–", "write `-`", TokenKind::minus},
    Foreign{"—", "write `-`", TokenKind::minus},
    Foreign{"×", "write `*`", TokenKind::star},
    Foreign{"·", "write `*`", TokenKind::star},
    Foreign{"÷", "write `/`", TokenKind::slash},
    Foreign{"**", "write `^`", TokenKind::caret},
    Foreign{"≤", "write `<=`", TokenKind::less_equal},
    Foreign{"≥", "write `>=`", TokenKind::greater_equal},
    Foreign{"≠", "write `!=`", TokenKind::not_equal},
    Foreign{"&&", "write `and`", TokenKind::word, Keyword::and_},
    Foreign{"&", "write `and`", TokenKind::word, Keyword::and_},
    Foreign{"||", "write `or`", TokenKind::word, Keyword::or_},
    Foreign{"|", "write `or`", TokenKind::word, Keyword::or_},
    Foreign{"!", "write `not`", TokenKind::word, Keyword::not_},
    Foreign{"===", "write `==`", TokenKind::equal},
    Foreign{"=>", "write `>=`", TokenKind::greater_equal},
    Foreign{"=<", "write `<=`", TokenKind::less_equal},
    Foreign{"<>", "write `!=`", TokenKind::not_equal},
    Foreign{"=", "write `==`", TokenKind::equal},
    Foreign{"[", "write `(`", TokenKind::open},
    Foreign{"]", "write `)`", TokenKind::close},
    Foreign{";", "write `,`", TokenKind::comma},
};

struct Symbol {
  std::string_view text;
  TokenKind kind;
};

// A longer symbol precedes its prefixes.
constexpr std::array kSymbols{
    Symbol{"<=", TokenKind::less_equal}, Symbol{">=", TokenKind::greater_equal},
    Symbol{"==", TokenKind::equal},      Symbol{"!=", TokenKind::not_equal},
    Symbol{"<", TokenKind::less},        Symbol{">", TokenKind::greater},
    Symbol{"+", TokenKind::plus},        Symbol{"-", TokenKind::minus},
    Symbol{"*", TokenKind::star},        Symbol{"/", TokenKind::slash},
    Symbol{"^", TokenKind::caret},       Symbol{"(", TokenKind::open},
    Symbol{")", TokenKind::close},       Symbol{",", TokenKind::comma},
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

Span make_span(std::size_t begin, std::size_t end) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

class Lexer {
 public:
  Lexer(const base::Passage& formula, const Names& names, base::Diagnostics& out)
      : formula_(formula), text_(formula.text), names_(names), out_(out) {}

  std::vector<Token> run() {
    tokens_.reserve(text_.size() / 3 + 2);
    while (pos_ < text_.size()) {
      const char c = text_[pos_];
      if (is_space(c)) {
        ++pos_;
      } else if (is_word_character(c)) {
        read_run();
      } else if (c == '.' && pos_ + 1 < text_.size() && is_digit(text_[pos_ + 1])) {
        read_number(number_length(text_.substr(pos_)));
      } else if (c == '"') {
        read_string();
      } else if (c == '{') {
        read_braces();
      } else if (!read_symbol() && !read_foreign()) {
        read_garbage();
      }
    }
    push(TokenKind::end, make_span(text_.size(), text_.size()));
    return std::move(tokens_);
  }

 private:
  void push(TokenKind kind, Span span) { tokens_.push_back({.kind = kind, .span = span}); }

  void report(Code code, Span span, std::string message, std::string hint = {}) {
    out_.add(code, base::at(formula_, span), std::move(message), std::move(hint));
  }

  std::string_view slice(Span span) const { return base::slice(text_, span); }

  // A run of word characters and hyphens: names, numbers and minus signs.
  void read_run() {
    const std::size_t begin = pos_;
    std::size_t end = begin;
    while (end < text_.size() && (is_word_character(text_[end]) || text_[end] == '-')) ++end;
    while (text_[end - 1] == '-') --end;

    std::size_t names_end = end, function_begin = end;
    if (followed_by_parenthesis(end)) {
      const std::size_t hyphen = text_.substr(begin, end - begin).rfind('-');
      const std::size_t last = hyphen == std::string_view::npos ? begin : begin + hyphen + 1;
      const auto word = text_.substr(last, end - last);
      if (!is_number(word) && !is_keyword(word)) {
        // A variable before a parenthesis is a mistake; it is reported once, for the whole name.
        const bool variable =
            find_function(word) == nullptr && names_.find(text_.substr(begin, end - begin));
        function_begin = names_end = variable ? begin : last;
        while (names_end > begin && text_[names_end - 1] == '-') --names_end;
      }
    }
    const Span run = make_span(begin, names_end);
    bool all_known = true;
    while (pos_ < names_end) all_known = read_part(run) && all_known;
    if (all_known && slice(run).find('-') != std::string_view::npos) warn_of_other_reading(run);
    if (pos_ > end) return;  // the last number extends beyond the run: `1.5`
    for (; pos_ < function_begin && text_[pos_] == '-'; ++pos_)
      push(TokenKind::minus, make_span(pos_, pos_ + 1));
    if (function_begin < end) {
      push(TokenKind::function, make_span(function_begin, end));
      pos_ = end;
    }
  }

  bool followed_by_parenthesis(std::size_t offset) const {
    while (offset < text_.size() && is_space(text_[offset])) ++offset;
    return offset < text_.size() && text_[offset] == '(';
  }

  // The longest candidate at pos_; false if there is none.
  bool read_part(Span run) {
    if (text_[pos_] == '-') {
      push(TokenKind::minus, make_span(pos_, pos_ + 1));
      ++pos_;
      return true;
    }
    const std::size_t number = number_length(text_.substr(pos_));
    std::size_t end =
        run.end < text_.size() && text_[run.end] == '.' ? previous_hyphen(run.end) : run.end;
    // No known word is longer, so a run of any length costs bounded work here.
    constexpr std::size_t kLongestWord = kMaxNameBytes + 16;
    if (end > pos_ + kLongestWord) end = previous_hyphen(pos_ + kLongestWord);
    for (; end > pos_ && end - pos_ > number; end = previous_hyphen(end)) {
      if (const auto reference = names_.find(text_.substr(pos_, end - pos_))) {
        tokens_.push_back(
            {.kind = TokenKind::word, .span = make_span(pos_, end), .reference = *reference});
        pos_ = end;
        return true;
      }
    }
    if (number > 0) {
      read_number(number);
      return true;
    }
    read_unknown(run);
    return false;
  }

  // The last hyphen before `end`, or pos_ if there is none after it.
  std::size_t previous_hyphen(std::size_t end) const {
    const std::size_t found = text_.substr(pos_, end - pos_).rfind('-');
    return found == std::string_view::npos ? pos_ : pos_ + found;
  }

  void read_unknown(Span run) {
    std::size_t end = run.end;
    if (end < text_.size() && text_[end] == '.')
      while (end < text_.size() && (is_word_character(text_[end]) || text_[end] == '.')) ++end;
    const Span span = make_span(pos_, end);
    pos_ = end;
    if (const auto keyword = shouted_keyword(slice(span))) {  // `AND`
      report(Code::bad_character, span, fmt::format("`{}` is not a formula operator", slice(span)),
             fmt::format("write `{}`", kKeywords[*keyword]));
      tokens_.push_back({.kind = TokenKind::word,
                         .span = span,
                         .reference = {Names::Meaning::keyword, *keyword}});
    } else if (is_digit(text_[span.begin]) && !names_.assumes()) {
      report(Code::bad_number, span,
             fmt::format("`{}` is neither a number nor a known name", slice(span)),
             suggestion(slice(span)));
      push(TokenKind::invalid, span);
    } else {
      tokens_.push_back({.kind = TokenKind::unknown_word,
                         .span = span,
                         .reference = {Names::Meaning::eval, 0},
                         .name = span,
                         .run = run});
    }
  }

  static std::optional<std::uint32_t> shouted_keyword(std::string_view word) {
    const auto same = [](char a, char b) { return (a | 0x20) == b; };
    for (std::uint32_t i = 0; i < kKeywords.size(); ++i)
      if (std::equal(word.begin(), word.end(), kKeywords[i].begin(), kKeywords[i].end(), same))
        return i;
    return std::nullopt;
  }

  std::string suggestion(std::string_view word) {
    // Each search looks at every name; only the first few unknown words get one.
    constexpr std::size_t kMostSuggestions = 8;
    if (++suggestions_ > kMostSuggestions) return {};
    const auto near = names_.nearest_words(word);
    const std::vector<std::string_view> views(near.begin(), near.end());
    return base::did_you_mean(views);
  }

  void warn_of_other_reading(Span run) {
    const std::string other = other_reading(slice(run), names_);
    if (other.empty()) return;
    report(Code::ambiguous_hyphen, run,
           fmt::format("`{}` is ambiguous: vibe uses the longest matching names", slice(run)),
           fmt::format("write `{}` for the other reading", other));
  }

  void read_number(std::size_t length) {
    const std::size_t begin = pos_;
    if (length == 0) {  // `.5x`
      while (pos_ < text_.size() && (is_word_character(text_[pos_]) || text_[pos_] == '.')) ++pos_;
      report(Code::bad_number, make_span(begin, pos_),
             fmt::format("`{}` is not a number", text_.substr(begin, pos_ - begin)));
      push(TokenKind::invalid, make_span(begin, pos_));
      return;
    }
    pos_ += length;
    if (pos_ < text_.size() && text_[pos_] == '.') {  // `1.2.3`
      while (pos_ < text_.size() && (is_word_character(text_[pos_]) || text_[pos_] == '.')) ++pos_;
      report(Code::bad_number, make_span(begin, pos_),
             fmt::format("`{}` is not a number", text_.substr(begin, pos_ - begin)));
      push(TokenKind::invalid, make_span(begin, pos_));
      return;
    }
    const Span span = make_span(begin, pos_);
    const auto value = base::parse_double(slice(span));  // a well-formed literal
    if (!value) {
      report(Code::bad_number, span, fmt::format("the number `{}` is too large", slice(span)),
             "the largest is about 1.8e308");
      push(TokenKind::invalid, span);
      return;
    }
    tokens_.push_back({.kind = TokenKind::number, .span = span, .number = *value});
  }

  void read_string() {
    const std::size_t begin = pos_;
    const std::size_t end = text_.find_first_of("\"\n\r", begin + 1);
    const bool closed = end != std::string_view::npos && text_[end] == '"';
    pos_ = closed ? end + 1 : std::min(end, text_.size());
    const Span span = make_span(begin, pos_);
    if (!closed)
      report(Code::bad_string, span, "the string has no closing `\"`",
             "a string must end on the line it begins on");
    push(closed ? TokenKind::string : TokenKind::invalid, span);
  }

  void read_braces() {
    const std::size_t begin = pos_;
    const std::size_t close = text_.find_first_of("}{\n\r", begin + 1);
    if (close == std::string_view::npos || text_[close] != '}') {
      ++pos_;
      while (pos_ < text_.size() && (is_word_character(text_[pos_]) || text_[pos_] == '-')) ++pos_;
      const Span span = make_span(begin, pos_);
      report(Code::bad_reference, span, "`{` has no closing `}`", "write `{name}`");
      push(TokenKind::invalid, span);
      return;
    }
    pos_ = close + 1;
    const Span name = make_span(begin + 1, close);
    auto meaning = Names::Meaning::eval;
    for (const auto& [suffix, derived, column] : kDerivedFigures) {
      if (text_.substr(pos_).starts_with(suffix) && !word_goes_on(pos_ + suffix.size())) {
        meaning = derived;
        pos_ += suffix.size();
        break;
      }
    }
    if (pos_ < text_.size() && text_[pos_] == '_') {
      while (word_goes_on(pos_)) ++pos_;
      const Span span = make_span(begin, pos_);
      report(Code::bad_reference, span, fmt::format("evals have no `{}`", slice(span)),
             "only `_latency` or `_cost` can follow the brace");
      push(TokenKind::invalid, span);
      return;
    }
    push_braced(make_span(begin, pos_), name, meaning);
  }

  bool word_goes_on(std::size_t offset) const {
    return offset < text_.size() && is_word_character(text_[offset]);
  }

  void push_braced(Span span, Span name, Names::Meaning meaning) {
    const auto text = slice(name);
    const auto bad = [&](std::string message, std::string hint) {
      report(Code::bad_reference, span, std::move(message), std::move(hint));
      push(TokenKind::invalid, span);
    };
    if (text.empty()) return bad("the braces are empty", "write `{name}`");
    if (std::any_of(text.begin(), text.end(), is_space))
      return bad("the braces contain a space", "write only the name: `{name}`");
    auto reference = names_.find_braced(text);
    if (!reference) {
      tokens_.push_back({.kind = TokenKind::unknown_word,
                         .span = span,
                         .reference = {meaning, 0},
                         .name = name,
                         .run = name});
      return;
    }
    if (reference->meaning == Names::Meaning::metric && meaning != Names::Meaning::eval)
      return bad(fmt::format("`{}` is a metric and has no latency or cost", text),
                 "only evals have them");
    if (reference->meaning == Names::Meaning::eval) reference->meaning = meaning;
    tokens_.push_back({.kind = TokenKind::word, .span = span, .reference = *reference});
  }

  bool read_symbol() {
    const auto rest = text_.substr(pos_);
    for (const std::string_view foreign : {"**", "===", "<>"})  // have a symbol as prefix
      if (rest.starts_with(foreign)) return false;
    for (const auto& symbol : kSymbols) {
      if (rest[0] != symbol.text[0] || !rest.starts_with(symbol.text)) continue;
      push(symbol.kind, make_span(pos_, pos_ + symbol.text.size()));
      pos_ += symbol.text.size();
      return true;
    }
    return false;
  }

  bool read_foreign() {
    const auto rest = text_.substr(pos_);
    for (const auto& foreign : kForeign) {
      if (!rest.starts_with(foreign.text)) continue;
      const Span span = make_span(pos_, pos_ + foreign.text.size());
      report(Code::bad_character, span, fmt::format("`{}` is not a formula operator", foreign.text),
             std::string(foreign.hint));
      tokens_.push_back(
          {.kind = foreign.kind,
           .span = span,
           .reference = {Names::Meaning::keyword, static_cast<std::uint32_t>(foreign.keyword)}});
      pos_ = span.end;
      return true;
    }
    return false;
  }

  // All characters that cannot begin a token, together, so that binary input is one error and not a
  // thousand.
  void read_garbage() {
    if (read_wrong_quotes()) return;
    const std::size_t begin = pos_;
    const auto begins_something = [&](char c) {
      return is_space(c) || is_word_character(c) ||
             std::string_view("+-*/^<>()!=,\"{&|").find(c) != std::string_view::npos;
    };
    pos_ += base::decode(text_, pos_).length;
    while (pos_ < text_.size() && !begins_something(text_[pos_]) && !begins_foreign(pos_))
      pos_ += base::decode(text_, pos_).length;
    const Span span = make_span(begin, pos_);
    const auto text = slice(span);
    std::string hint;
    if (text == "%") hint = "write `/ 100` for a percentage";
    if (text == "?") hint = "write `if(cond, a, b)`";
    if (text == "}" || text == "`") hint = "write `{name}`";
    if (text == ".") hint = "a decimal point needs a digit next to it";
    const base::CodePoint first = base::decode(text, 0);
    std::string shown = fmt::format("`{}`", text);
    if (!first.valid) {
      shown = "text that is not UTF-8";
    } else if (is_invisible(first.value)) {
      shown = fmt::format("the invisible character U+{:04X}", static_cast<unsigned>(first.value));
      hint = "replace it with a space, or delete it";
    } else if (first.value > 0x7F && hint.empty()) {
      hint = "names use the letters a to z, digits, `_` and `-`";
    }
    report(Code::bad_character, span, fmt::format("{} has no meaning in a formula", shown),
           std::move(hint));
    push(TokenKind::invalid, span);
  }

  static bool is_invisible(char32_t c) {
    return !base::is_printable(c) || c == 0xA0 || c == 0x00AD || c == 0x202F || c == 0x3000 ||
           c == 0xFEFF || (c >= 0x2000 && c <= 0x200F) || c == 0x2060;
  }

  // `'math'` and `“math”`: one mistake, not three.
  bool read_wrong_quotes() {
    const auto rest = text_.substr(pos_);
    for (const auto& [open, close] : {std::pair{std::string_view("'"), std::string_view("'")},
                                      std::pair{std::string_view("“"), std::string_view("”")},
                                      std::pair{std::string_view("‘"), std::string_view("’")},
                                      std::pair{std::string_view("„"), std::string_view("“")}}) {
      if (!rest.starts_with(open)) continue;
      const std::size_t end = rest.substr(0, rest.find('\n')).find(close, open.size());
      const Span span = make_span(
          pos_, pos_ + (end == std::string_view::npos ? open.size() : end + close.size()));
      report(Code::bad_string, span, "strings need double quotes", "write `\"math-*\"`");
      push(TokenKind::invalid, span);
      pos_ = span.end;
      return true;
    }
    return false;
  }

  bool begins_foreign(std::size_t offset) const {
    const auto rest = text_.substr(offset);
    return std::any_of(kForeign.begin(), kForeign.end(),
                       [&](const Foreign& f) { return rest.starts_with(f.text); });
  }

  const base::Passage& formula_;
  std::string_view text_;
  const Names& names_;
  base::Diagnostics& out_;
  std::vector<Token> tokens_;
  std::size_t pos_ = 0, suggestions_ = 0;
};

}  // namespace

std::size_t number_length(std::string_view text) {
  const base::Decimal number = base::scan_decimal(text);
  if (number.has_sign || !number.has_digits()) return 0;
  const std::size_t end = number.is_cut_off() ? number.mantissa_end : number.end;
  const bool goes_on = end < text.size() && is_letter(text[end]);
  return goes_on ? 0 : end;
}

std::string other_reading(std::string_view run, const Names& names) {
  constexpr std::size_t kMostParts = 256;
  std::vector<std::size_t> begins{0};  // offsets of the parts between hyphens
  for (std::size_t i = 0; i < run.size(); ++i)
    if (run[i] == '-') begins.push_back(i + 1);
  const std::size_t count = begins.size();
  if (count < 2 || count > kMostParts || run.find("--") != std::string_view::npos) return {};

  const auto text = [&](std::size_t from,
                        std::size_t to) {  // parts from … to, without the last hyphen
    const std::size_t end = to < count ? begins[to] - 1 : run.size();
    return run.substr(begins[from], end - begins[from]);
  };
  const auto readable = [&](std::size_t from, std::size_t to) {
    const auto part = text(from, to);
    if (is_number(part)) return true;
    const auto found = names.find(part);
    if (!found) return false;
    return found->meaning != Names::Meaning::keyword || (from == 0 && part == "not" && to < count);
  };
  // Numbers such as `1e-3` also contain a hyphen.
  const std::size_t longest = std::max<std::size_t>(names.most_hyphens() + 1, 2);

  // Most runs are one name that does not begin with a shorter name: they have one reading.
  bool begins_otherwise = false;
  for (std::size_t to = 1; to < count && to <= longest && !begins_otherwise; ++to)
    begins_otherwise = readable(0, to);
  if (!begins_otherwise) return {};

  std::vector<char> can_end(count + 1, 0);  // whether the parts from here have a reading
  can_end[count] = 1;
  for (std::size_t from = count; from-- > 0;)
    for (std::size_t to = from + 1; to <= std::min(count, from + longest) && can_end[from] == 0;
         ++to)
      if (can_end[to] != 0 && readable(from, to)) can_end[from] = 1;

  std::string written;
  bool other = false;
  for (std::size_t from = 0; from < count;) {
    std::size_t chosen = 0, second = 0;
    for (std::size_t to = std::min(count, from + longest); to > from; --to) {
      if (!readable(from, to)) continue;
      if (chosen == 0 && (!other || can_end[to] != 0))
        chosen = to;
      else if (!other && second == 0 && can_end[to] != 0)
        second = to;
    }
    if (second != 0) {
      chosen = second;
      other = true;
    }
    if (chosen == 0) return {};
    if (!written.empty()) written += " - ";
    written += text(from, chosen);
    from = chosen;
  }
  return other ? written : std::string();
}

std::vector<Token> tokenize(const base::Passage& formula, const Names& names,
                            base::Diagnostics& out) {
  return Lexer(formula, names, out).run();
}

}  // namespace vibe::formula
