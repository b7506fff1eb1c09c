#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "formula/arithmetic.h"
#include "formula/token.h"
#include "formula/tree.h"

namespace vibe::formula {

using base::Code;
using base::Span;

namespace {

// How tightly an infix operator binds; each level takes operands of the next.
enum class Level : std::uint8_t { disjunction, conjunction, comparison, sum, term };

struct Infix {
  Op op;
  Level level;
};

std::optional<Infix> infix(const Token& token) {
  switch (token.kind) {
    case TokenKind::plus: return Infix{Op::add, Level::sum};
    case TokenKind::minus: return Infix{Op::subtract, Level::sum};
    case TokenKind::star: return Infix{Op::multiply, Level::term};
    case TokenKind::slash: return Infix{Op::divide, Level::term};
    case TokenKind::less: return Infix{Op::less, Level::comparison};
    case TokenKind::less_equal: return Infix{Op::less_equal, Level::comparison};
    case TokenKind::greater: return Infix{Op::greater, Level::comparison};
    case TokenKind::greater_equal: return Infix{Op::greater_equal, Level::comparison};
    case TokenKind::equal: return Infix{Op::equal, Level::comparison};
    case TokenKind::not_equal: return Infix{Op::not_equal, Level::comparison};
    case TokenKind::word:
      if (token.reference == Names::Reference{Names::Meaning::keyword, 0})
        return Infix{Op::logical_and, Level::conjunction};
      if (token.reference == Names::Reference{Names::Meaning::keyword, 1})
        return Infix{Op::logical_or, Level::disjunction};
      return std::nullopt;
    case TokenKind::number:
    case TokenKind::unknown_word:
    case TokenKind::function:
    case TokenKind::string:
    case TokenKind::caret:
    case TokenKind::open:
    case TokenKind::close:
    case TokenKind::comma:
    case TokenKind::invalid:
    case TokenKind::end: return std::nullopt;
  }
  return std::nullopt;
}

bool is_not(const Token& token) {
  return token.kind == TokenKind::word &&
         token.reference == Names::Reference{Names::Meaning::keyword, 2};
}

Span join(Span a, Span b) { return {a.begin, b.end}; }

// A parsed operand: its node, and its text with the parentheses around it.
struct Operand {
  std::uint32_t node;
  Span outer;
};

class Parser {
 public:
  Parser(const base::Passage& formula, const Names& names, Inputs& inputs, base::Diagnostics& out)
      : formula_(formula),
        names_(names),
        inputs_(inputs),
        out_(out),
        tokens_(tokenize(formula, names, out)) {
    tree_.nodes.reserve(tokens_.size());
    tree_.children.reserve(tokens_.size());
  }

  Tree run() {
    expression();
    // Whatever is left over was not expected; report it and read on for further mistakes.
    while (!at(TokenKind::end)) {
      unexpected("an operator or the end");
      while (infix(peek()) || at(TokenKind::caret)) next();
      if (begins_operand()) expression();
    }
    if (tree_.nodes.size() > kMaxNodes && !over_limit_)
      report(Code::formula_limit, tree_.nodes[kMaxNodes].span,
             fmt::format("the formula has {} numbers, names, operators and calls, more than {}",
                         tree_.nodes.size(), kMaxNodes),
             "move parts of it into metrics");
    return std::move(tree_);
  }

 private:
  // ---- tokens

  const Token& peek() const { return tokens_[pos_]; }
  bool at(TokenKind kind) const { return peek().kind == kind; }
  Token next() {
    const Token token = peek();
    if (token.kind != TokenKind::end) ++pos_;
    return token;
  }
  std::string_view text(Span span) const {
    return std::string_view(formula_.text).substr(span.begin, span.end - span.begin);
  }
  std::string found(const Token& token) const {
    return token.kind == TokenKind::end ? "the end of the formula"
                                        : fmt::format("`{}`", text(token.span));
  }
  void report(Code code, Span span, std::string message, std::string hint = {}) {
    out_.add(code, base::at(formula_, span), std::move(message), std::move(hint));
  }
  bool begins_operand() const {
    switch (peek().kind) {
      case TokenKind::number:
      case TokenKind::unknown_word:
      case TokenKind::function:
      case TokenKind::string:
      case TokenKind::open:
      case TokenKind::invalid: return true;
      case TokenKind::word: return !infix(peek());
      default: return false;
    }
  }

  // Reports the current token as unexpected and steps over it unless an operand begins there.
  void unexpected(std::string_view expected) {
    const Token& token = peek();
    if (token.kind == TokenKind::close) {
      report(Code::unbalanced, token.span, "`)` has no `(` before it");
      next();
    } else if (begins_operand()) {
      const bool told = token.kind == TokenKind::invalid || token.kind == TokenKind::string ||
                        pos_ == reported_ || after_invalid();
      if (!told)
        report(Code::syntax, token.span,
               fmt::format("expected {}, found {}", expected, found(token)),
               is_not(token) ? "write `and not`" : "to multiply, write `*`");
    } else {
      report(Code::syntax, token.span,
             fmt::format("expected {}, found {}", expected, found(token)));
      next();
    }
  }
  void report_string(const Token& token) {
    report(Code::wrong_argument, token.span, "a string stands where a value is needed",
           "strings select evals, as the last argument: `mean(latency, \"math-*\")`");
  }
  bool after_invalid() const { return pos_ > 0 && tokens_[pos_ - 1].kind == TokenKind::invalid; }

  // ---- nodes

  std::uint32_t push(Node node, std::initializer_list<std::uint32_t> children = {}) {
    return push(std::move(node), std::span(children.begin(), children.size()));
  }
  std::uint32_t push(Node node, std::span<const std::uint32_t> children) {
    node.first_child = static_cast<std::uint32_t>(tree_.children.size());
    node.child_count = static_cast<std::uint32_t>(children.size());
    tree_.children.insert(tree_.children.end(), children.begin(), children.end());
    tree_.nodes.push_back(node);
    return tree_.root();
  }
  Operand invalid(Span span) { return {push({.op = Op::invalid, .span = span}), span}; }
  Operand binary(Op op, Operand left, Operand right) {
    const Span span = join(left.outer, right.outer);
    return {push({.op = op, .span = span}, {left.node, right.node}), span};
  }

  // Counts what nests; past the limit the rest of the formula is not read.
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Parser& parser_;
  };

  bool too_deep(Span span) {
    if (depth_ <= kMaxDepth) return false;
    if (!over_limit_)
      report(Code::formula_limit, span,
             fmt::format("the formula nests deeper than {} levels", kMaxDepth),
             "move parts of it into metrics");
    over_limit_ = true;
    pos_ = tokens_.size() - 1;
    return true;
  }

  // ---- grammar

  Operand expression() { return level(Level::disjunction); }

  Operand level(Level wanted) {
    switch (wanted) {
      case Level::disjunction: return chain(wanted, [this] { return level(Level::conjunction); });
      case Level::conjunction: return chain(wanted, [this] { return negation(); });
      case Level::comparison: return comparison();
      case Level::sum: return chain(wanted, [this] { return level(Level::term); });
      case Level::term: return chain(wanted, [this] { return unary(); });
    }
    return invalid(peek().span);
  }

  template <class Next>
  Operand chain(Level wanted, Next operand) {
    Operand left = operand();
    for (auto op = infix(peek()); op && op->level == wanted; op = infix(peek())) {
      next();
      left = binary(op->op, left, operand());
    }
    return left;
  }

  Operand negation() {
    if (!is_not(peek())) return level(Level::comparison);
    const Token token = next();
    const Deeper deeper(*this);
    if (too_deep(token.span)) return invalid(token.span);
    const Operand operand = negation();
    const Span span = join(token.span, operand.outer);
    return {push({.op = Op::logical_not, .span = span}, {operand.node}), span};
  }

  Operand comparison() {
    Operand left = level(Level::sum);
    bool compared = false;
    for (auto op = infix(peek()); op && op->level == Level::comparison; op = infix(peek())) {
      const Token token = next();
      if (compared && pos_ - 1 != reported_)
        report(Code::chained_comparison, token.span,
               fmt::format("a second comparison `{}` in a row", text(token.span)),
               "comparisons do not chain: write `a < b and b < c`");
      const Operand right = level(Level::sum);
      left = compared ? invalid(join(left.outer, right.outer)) : binary(op->op, left, right);
      compared = true;
    }
    return left;
  }

  Operand unary() {
    if (!at(TokenKind::minus) && !at(TokenKind::plus)) return power();
    const Token sign = next();
    const Deeper deeper(*this);
    if (too_deep(sign.span)) return invalid(sign.span);
    const Operand operand = unary();
    const Span span = join(sign.span, operand.outer);
    const Op op = sign.kind == TokenKind::minus ? Op::negate : Op::plus;
    return {push({.op = op, .span = span}, {operand.node}), span};
  }

  Operand power() {
    const Operand left = atom();
    if (!at(TokenKind::caret)) return left;
    const Token caret = next();
    const Deeper deeper(*this);
    if (too_deep(caret.span)) return invalid(caret.span);
    return binary(Op::power, left, unary());
  }

  Operand atom() {
    const Token token = peek();
    switch (token.kind) {
      case TokenKind::number:
        next();
        return {push({.op = Op::number, .number = token.number, .span = token.span}), token.span};
      case TokenKind::word:
        if (token.reference.meaning == Names::Meaning::keyword) break;
        next();
        return {word(token), token.span};
      case TokenKind::unknown_word: next(); return unknown_word(token);
      case TokenKind::function: next(); return call(token);
      case TokenKind::open: next(); return parenthesised(token);
      case TokenKind::invalid: next(); return invalid(token.span);
      case TokenKind::string:
        next();
        report_string(token);
        return invalid(token.span);
      default: break;
    }
    if (!over_limit_)
      report(Code::syntax, token.span,
             fmt::format("expected a number, a name or `(`, found {}", found(token)),
             is_not(token) ? "put it in parentheses: `(not …)`" : "");
    reported_ = pos_;
    return invalid(token.span);
  }

  Operand parenthesised(const Token& open) {
    const Deeper deeper(*this);
    if (too_deep(open.span)) return invalid(open.span);
    const Operand inner = expression();
    const bool whole = at(TokenKind::close) || at(TokenKind::end);
    const Span outer = join(open.span, closing(open));
    return whole ? Operand{inner.node, outer} : invalid(outer);
  }

  // The `)` of an open parenthesis; skips what cannot stand before it.
  Span closing(const Token& open) {
    if (!at(TokenKind::close) && !at(TokenKind::end)) {
      if (at(TokenKind::string)) report_string(peek());
      unexpected("an operator or `)`");
      for (std::size_t nested = 0; !at(TokenKind::end) && (nested > 0 || !at(TokenKind::close));
           next()) {
        if (at(TokenKind::open)) ++nested;
        if (at(TokenKind::close)) --nested;
      }
    }
    if (at(TokenKind::close)) return next().span;
    if (!over_limit_) report(Code::unbalanced, open.span, "`(` has no `)` after it");
    return peek().span;
  }

  std::uint32_t word(const Token& token) {
    if (token.reference.meaning == Names::Meaning::metric)
      return push({.op = Op::metric, .index = token.reference.index, .span = token.span});
    return push(
        {.op = Op::input, .index = inputs_.add(names_.input(token.reference)), .span = token.span});
  }

  Operand unknown_word(const Token& token) {
    if (!names_.assumes()) {
      report(Code::unknown_variable, token.span,
             fmt::format("unknown variable `{}`", text(token.span)), hint_for(token));
      return invalid(token.span);
    }
    // A stand-in for the suite that is not there.
    Names assumed;
    std::string name(text(token.name));
    auto meaning = token.reference.meaning;
    if (token.name == token.span) {
      for (const auto& [suffix, derived] :
           {std::pair{std::string_view("_latency"), Names::Meaning::eval_latency},
            std::pair{std::string_view("_cost"), Names::Meaning::eval_cost}}) {
        if (name.size() > suffix.size() && name.ends_with(suffix)) {
          name.resize(name.size() - suffix.size());
          meaning = derived;
          break;
        }
      }
    }
    report(Code::assumed_eval, token.span, fmt::format("`{}` is taken for an eval", name),
           "give the suite with `--suite FILE` to check names");
    assumed.add_eval(std::move(name));
    const std::uint32_t input = inputs_.add(assumed.input({meaning, 0}));
    return {push({.op = Op::input, .index = input, .span = token.span}), token.span};
  }

  std::string hint_for(const Token& token) {
    // Each search looks at every name there is; a formula full of unknown ones gets hints for the
    // first few.
    constexpr std::size_t kMostHints = 8;
    if (++hints_ > kMostHints) return {};
    if (const std::string other = other_reading(text(token.run), names_); !other.empty())
      return fmt::format("`{}` could be `{}`: write it with these spaces", text(token.run), other);
    auto near = names_.nearest_words(text(token.name));
    if (near.empty() && token.run != token.name) near = names_.nearest_words(text(token.run));
    if (!near.empty()) {
      const std::vector<std::string_view> views(near.begin(), near.end());
      return base::did_you_mean(views);
    }
    if (find_column(text(token.span)))
      return fmt::format("`{0}` is a column: `mean({0})`, `sum({0})`, …", text(token.span));
    if (find_function(text(token.span))) return "a function is called with parentheses";
    if (names_.evals().empty())
      return "no eval has a name: give one to each that the formula needs";
    return "evals are referred to by their `name`";
  }

  // ---- calls

  struct Arguments {
    std::vector<Operand> values;
    Span close;
  };

  Operand call(const Token& name) {
    const Deeper deeper(*this);
    if (too_deep(name.span)) return invalid(name.span);
    const Token open = next();  // the lexer saw it
    const Function* function = find_function(text(name.span));
    if (function == nullptr) {
      report_unknown_function(name);
      const Arguments arguments = read_arguments(open);
      return invalid(join(name.span, arguments.close));
    }
    if (takes_column(*function)) return column_call(*function, name, open);
    if (function->takes == Takes::selector) return selector_call(*function, name, open);
    const Arguments arguments = read_arguments(open);
    const Span span = join(name.span, arguments.close);
    const auto& values = arguments.values;
    if (values.size() > function->most) {
      report(
          Code::wrong_arity, values[function->most].outer,
          fmt::format("`{}` takes {}, not {}", function->name, counted(*function), values.size()),
          fmt::format("write `{}`", function->signature));
      return invalid(span);
    }
    if (values.size() < function->least) {
      report(
          Code::wrong_arity, span,
          fmt::format("`{}` takes {}, not {}", function->name, counted(*function), values.size()),
          fmt::format("write `{}`", function->signature));
      return invalid(span);
    }
    std::vector<std::uint32_t> children;
    children.reserve(values.size());
    for (const auto& value : values) children.push_back(value.node);
    return {push({.op = Op::call, .function = function, .span = span}, children), span};
  }

  static std::string counted(const Function& function) {
    if (function.least == function.most)
      return fmt::format("{} argument{}", function.least, function.least == 1 ? "" : "s");
    return fmt::format("{} {} {} arguments", function.least,
                       function.most == function.least + 1 ? "or" : "to", function.most);
  }

  void report_unknown_function(const Token& name) {
    const auto word = text(name.span);
    std::vector<std::string_view> names;
    for (const auto& function : kFunctions) names.push_back(function.name);
    std::string hint = base::did_you_mean(base::nearest(word, names));
    if (names_.find(word))
      hint = fmt::format("`{0}` is a variable: to multiply, write `{0} * (…)`", word);
    if (hint.empty()) hint = "`vibe formula functions` lists them all";
    report(Code::unknown_function, name.span, fmt::format("unknown function `{}`", word),
           std::move(hint));
  }

  // Expressions up to the closing parenthesis.
  Arguments read_arguments(const Token& open) {
    Arguments arguments;
    if (at(TokenKind::close)) {
      arguments.close = next().span;
      return arguments;
    }
    while (true) {
      arguments.values.push_back(expression());
      if (!at(TokenKind::comma)) break;
      next();
    }
    const bool whole = at(TokenKind::close) || at(TokenKind::end);
    arguments.close = closing(open);
    if (!whole) arguments.values.back() = invalid(arguments.values.back().outer);
    return arguments;
  }

  // `min` and `max` take a column where a selector follows, or where the word means nothing else.
  bool takes_column(const Function& function) const {
    if (function.takes == Takes::column || function.takes == Takes::column_and_number) return true;
    if (function.takes != Takes::column_or_numbers || !column_at(pos_)) return false;
    const Token& after = tokens_[pos_ + 1];
    if (after.kind == TokenKind::comma) return tokens_[pos_ + 2].kind == TokenKind::string;
    return after.kind == TokenKind::close && at(TokenKind::unknown_word);
  }

  std::optional<Column> column_at(std::size_t pos) const {
    const Token& token = tokens_[pos];
    if (token.kind != TokenKind::word && token.kind != TokenKind::unknown_word) return std::nullopt;
    const auto after = tokens_[pos + 1].kind;
    if (after != TokenKind::comma && after != TokenKind::close && after != TokenKind::end)
      return std::nullopt;
    return find_column(text(token.span));
  }

  // After a mistake in a call: steps over the rest of it.
  Operand give_up(const Token& name, const Token& open) {
    if (at(TokenKind::close)) return invalid(join(name.span, next().span));
    if (at(TokenKind::comma)) next();
    return invalid(join(name.span, read_arguments(open).close));
  }

  Operand column_call(const Function& function, const Token& name, const Token& open) {
    const auto column = column_at(pos_);
    if (!column) {
      if (at(TokenKind::close) || at(TokenKind::end)) {
        report(Code::wrong_arity, join(name.span, peek().span),
               fmt::format("`{}` needs a column", function.name),
               fmt::format("write `{}`", function.signature));
        return give_up(name, open);
      }
      if (find_column(text(peek().span)))
        report(Code::wrong_argument, peek().span,
               fmt::format("`{}` takes a column alone, not an expression", function.name),
               fmt::format("write `{}`", function.signature));
      else if (!at(TokenKind::invalid))
        report(Code::wrong_argument, peek().span,
               fmt::format("`{}` takes a column, not {}", function.name, found(peek())),
               column_hint());
      return skip_call(name);
    }
    Input input{.name = fmt::format("{}({}", function.name, text(next().span)),
                .statistic = statistic(function.id),
                .column = *column,
                .percentile = 0,
                .over = {}};
    if (function.takes == Takes::column_and_number) {
      if (!at(TokenKind::comma)) {
        report(Code::wrong_arity, join(name.span, peek().span),
               fmt::format("`{}` needs a column and a number", function.name),
               fmt::format("write `{}`", function.signature));
        return give_up(name, open);
      }
      next();
      const auto percentile = constant(function);
      if (!percentile) return skip_call(name);
      input.percentile = *percentile;
      input.name += fmt::format(", {}", *percentile);
    }
    return finish_aggregate(std::move(input), function, name, open, true);
  }

  Operand selector_call(const Function& function, const Token& name, const Token& open) {
    if (!at(TokenKind::string)) {
      if (!at(TokenKind::invalid))
        report(Code::wrong_argument,
               at(TokenKind::close) ? join(name.span, peek().span) : peek().span,
               fmt::format("`{}` takes a glob or tag in double quotes", function.name),
               fmt::format("write `{}`", function.example));
      return skip_call(name);
    }
    Input input{.name = fmt::format("{}(", function.name),
                .statistic = Statistic::mean,
                .column = Column::passed,
                .percentile = 0,
                .over = {}};
    return finish_aggregate(std::move(input), function, name, open, false);
  }

  // The optional (or, for pass_rate, only) selector and the closing parenthesis.
  Operand finish_aggregate(Input input, const Function& function, const Token& name,
                           const Token& open, bool comma) {
    if (comma && at(TokenKind::comma)) {
      const Token separator = next();
      if (!at(TokenKind::string)) {
        if (!at(TokenKind::invalid))
          report(at(TokenKind::close) ? Code::syntax : Code::wrong_argument,
                 at(TokenKind::close) ? separator.span : peek().span,
                 fmt::format("expected a glob or tag in double quotes, found {}", found(peek())),
                 fmt::format("write `{}`", function.signature));
        return skip_call(name);
      }
      input.name += ", ";
    }
    if (at(TokenKind::string)) {
      const Token string = next();
      input.over = selector(string);
      input.name += text(string.span);
    }
    if (at(TokenKind::comma)) {
      report(Code::wrong_arity, tokens_[pos_ + 1].span,
             fmt::format("`{}` takes nothing further", function.name),
             fmt::format("write `{}`", function.signature));
      return skip_call(name);
    }
    const Span span = join(name.span, closing(open));
    input.name += ")";
    return {push({.op = Op::input, .index = inputs_.add(std::move(input)), .span = span}), span};
  }

  // Steps over the rest of a call without judging it.
  Operand skip_call(const Token& name) {
    for (std::size_t nested = 0; !at(TokenKind::end); next()) {
      if (at(TokenKind::open)) ++nested;
      if (at(TokenKind::close) && nested-- == 0) return invalid(join(name.span, next().span));
    }
    return invalid(join(name.span, peek().span));
  }

  static std::string column_hint() {
    std::string hint = "the columns are ";
    for (std::size_t i = 0; i < kColumns.size(); ++i)
      hint += fmt::format("{}`{}`", i == 0 ? "" : ", ", kColumns[i].name);
    return hint;
  }

  static Statistic statistic(FunctionId id) {
    switch (id) {
      case FunctionId::sum: return Statistic::sum;
      case FunctionId::median: return Statistic::median;
      case FunctionId::stddev: return Statistic::stddev;
      case FunctionId::percentile: return Statistic::percentile;
      case FunctionId::count: return Statistic::count;
      case FunctionId::min: return Statistic::min;
      case FunctionId::max: return Statistic::max;
      default: return Statistic::mean;
    }
  }

  Selector selector(const Token& string) {
    const auto quoted = text(string.span);
    const auto inner = quoted.substr(1, quoted.size() - 2);
    constexpr std::string_view kTag = "tag:";
    Selector chosen{Selector::Kind::glob, std::string(inner)};
    if (inner.starts_with(kTag))
      chosen = {Selector::Kind::tag, std::string(inner.substr(kTag.size()))};
    if (!names_.assumes() && !names_.any_eval_matches(chosen)) {
      const bool tag = chosen.kind == Selector::Kind::tag;
      report(Code::matches_nothing, string.span,
             tag ? fmt::format("no named eval carries the tag `{}`", chosen.text)
                 : fmt::format("no eval name matches `{}`", chosen.text),
             tag ? "tags are exact and case-sensitive"
                 : "`*` and `?` match within whole names, case-sensitive");
    }
    return chosen;
  }

  // A constant expression, folded away; nullopt after reporting that it is none, or out of range.
  std::optional<double> constant(const Function& function) {
    const auto first_node = tree_.nodes.size();
    const auto first_child = tree_.children.size();
    const std::size_t errors = out_.errors();
    const Operand operand = expression();
    double value = kUndefined;
    if (out_.errors() == errors) value = fold(first_node);
    tree_.nodes.resize(first_node);
    tree_.children.resize(first_child);
    if (out_.errors() != errors) return std::nullopt;
    if (value >= 0 && value <= 100) return value;
    report(Code::wrong_argument, operand.outer,
           fmt::format("`{}` takes a constant from 0 to 100, not `{}`", function.name,
                       text(operand.outer)),
           fmt::format("write `{}`", function.example));
    return std::nullopt;
  }

  double fold(std::size_t first_node) const {
    std::vector<double> values(tree_.nodes.size(), kUndefined);
    for (std::size_t i = first_node; i < tree_.nodes.size(); ++i) {
      const Node& node = tree_.nodes[i];
      if (node.op == Op::input || node.op == Op::metric) return kUndefined;
      values[i] = node.op == Op::number ? node.number : apply(tree_, node, values);
    }
    return values.back();
  }

  const base::Passage& formula_;
  const Names& names_;
  Inputs& inputs_;
  base::Diagnostics& out_;
  std::vector<Token> tokens_;
  std::size_t pos_ = 0;
  Tree tree_;
  std::size_t depth_ = 0, hints_ = 0;
  std::size_t reported_ = ~std::size_t{0};  // the token that was not the operand it should be
  bool over_limit_ = false;
};

}  // namespace

std::string_view symbol(Op op) {
  switch (op) {
    case Op::negate:
    case Op::subtract: return "-";
    case Op::plus:
    case Op::add: return "+";
    case Op::multiply: return "*";
    case Op::divide: return "/";
    case Op::power: return "^";
    case Op::less: return "<";
    case Op::less_equal: return "<=";
    case Op::greater: return ">";
    case Op::greater_equal: return ">=";
    case Op::equal: return "==";
    case Op::not_equal: return "!=";
    case Op::logical_and: return "and";
    case Op::logical_or: return "or";
    case Op::logical_not: return "not";
    case Op::number:
    case Op::input:
    case Op::metric:
    case Op::call:
    case Op::invalid: return {};
  }
  return {};
}

Tree parse(const base::Passage& formula, const Names& names, Inputs& inputs,
           base::Diagnostics& out) {
  const Span all{0, static_cast<std::uint32_t>(formula.text.size())};
  if (formula.text.size() > kMaxFormulaBytes) {
    out.add(Code::formula_limit, base::at(formula, all),
            fmt::format("the formula has {} bytes, more than {}", formula.text.size(),
                        kMaxFormulaBytes),
            "move parts of it into metrics");
    return {};
  }
  if (base::trim(formula.text).empty()) {
    out.add(Code::empty_formula, base::at(formula, all), "the formula is empty",
            "write one such as `success_pct / total_cost`, or leave the key out for `success_pct`");
    return {};
  }
  return Parser(formula, names, inputs, out).run();
}

}  // namespace vibe::formula
