#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "formula/parser.h"

namespace vibe::formula {

using base::Code;
using base::Span;

namespace {

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
      if (is(token, Keyword::and_)) return Infix{Op::logical_and, Level::conjunction};
      if (is(token, Keyword::or_)) return Infix{Op::logical_or, Level::disjunction};
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

}  // namespace

Parser::Parser(const base::Passage& formula, const Names& names, Inputs& inputs,
               base::Diagnostics& out)
    : formula_(formula),
      names_(names),
      inputs_(inputs),
      out_(out),
      tokens_(tokenize(formula, names, out)) {
  tree_.nodes.reserve(tokens_.size());
  tree_.children.reserve(tokens_.size());
}

Tree Parser::run() {
  expression();
  // Whatever is left was not expected; report it and continue reading for further mistakes.
  while (!at(TokenKind::end)) {
    unexpected("an operator or the end");
    while (infix(peek()) || at(TokenKind::caret)) next();
    if (begins_operand()) expression();
  }
  if (tree_.nodes.size() > kMaxNodes && !over_limit_)
    report(Code::formula_limit, tree_.nodes[kMaxNodes].span,
           fmt::format("the formula has {} numbers, names, operators and calls; the limit is {}",
                       tree_.nodes.size(), kMaxNodes),
           "move parts of it into metrics");
  return std::move(tree_);
}

std::string Parser::found(const Token& token) const {
  return token.kind == TokenKind::end ? "the end of the formula"
                                      : fmt::format("`{}`", text(token.span));
}

void Parser::report(Code code, Span span, std::string message, std::string hint) {
  out_.add(code, base::at(formula_, span), std::move(message), std::move(hint));
}

bool Parser::begins_operand() const {
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

void Parser::unexpected(std::string_view expected) {
  const Token& token = peek();
  if (token.kind == TokenKind::close) {
    report(Code::unbalanced, token.span, "`)` has no `(` before it");
    next();
  } else if (begins_operand()) {
    const bool told = token.kind == TokenKind::invalid || token.kind == TokenKind::string ||
                      pos_ == reported_ || after_invalid();
    if (!told)
      report(Code::syntax, token.span, fmt::format("expected {}, found {}", expected, found(token)),
             is(token, Keyword::not_) ? "write `and not`" : "to multiply, write `*`");
  } else {
    report(Code::syntax, token.span, fmt::format("expected {}, found {}", expected, found(token)));
    next();
  }
}

void Parser::report_string(const Token& token) {
  report(Code::wrong_argument, token.span, "found a string where a value is needed",
         "strings select evals, as the last argument: `mean(latency, \"math-*\")`");
}

bool Parser::after_invalid() const {
  return pos_ > 0 && tokens_[pos_ - 1].kind == TokenKind::invalid;
}

std::uint32_t Parser::push(Node node, std::initializer_list<std::uint32_t> children) {
  return push(node, std::span(children.begin(), children.size()));
}

std::uint32_t Parser::push(Node node, std::span<const std::uint32_t> children) {
  node.first_child = static_cast<std::uint32_t>(tree_.children.size());
  node.child_count = static_cast<std::uint32_t>(children.size());
  tree_.children.insert(tree_.children.end(), children.begin(), children.end());
  tree_.nodes.push_back(node);
  return tree_.root();
}

Operand Parser::invalid(Span span) { return {push({.op = Op::invalid, .span = span}), span}; }

Operand Parser::binary(Op op, Operand left, Operand right) {
  const Span span = join(left.outer, right.outer);
  return {push({.op = op, .span = span}, {left.node, right.node}), span};
}

bool Parser::too_deep(Span span) {
  if (depth_ <= kMaxDepth) return false;
  if (!over_limit_)
    report(Code::formula_limit, span,
           fmt::format("the formula nests deeper than {} levels", kMaxDepth),
           "move parts of it into metrics");
  over_limit_ = true;
  pos_ = tokens_.size() - 1;
  return true;
}

Operand Parser::expression() { return level(Level::disjunction); }

Operand Parser::level(Level wanted) {
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
Operand Parser::chain(Level wanted, Next operand) {
  Operand left = operand();
  for (auto op = infix(peek()); op && op->level == wanted; op = infix(peek())) {
    next();
    left = binary(op->op, left, operand());
  }
  return left;
}

Operand Parser::negation() {
  if (!is(peek(), Keyword::not_)) return level(Level::comparison);
  const Token token = next();
  const Deeper deeper(*this);
  if (too_deep(token.span)) return invalid(token.span);
  const Operand operand = negation();
  const Span span = join(token.span, operand.outer);
  return {push({.op = Op::logical_not, .span = span}, {operand.node}), span};
}

Operand Parser::comparison() {
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

Operand Parser::unary() {
  if (!at(TokenKind::minus) && !at(TokenKind::plus)) return power();
  const Token sign = next();
  const Deeper deeper(*this);
  if (too_deep(sign.span)) return invalid(sign.span);
  const Operand operand = unary();
  const Span span = join(sign.span, operand.outer);
  const Op op = sign.kind == TokenKind::minus ? Op::negate : Op::plus;
  return {push({.op = op, .span = span}, {operand.node}), span};
}

Operand Parser::power() {
  const Operand left = atom();
  if (!at(TokenKind::caret)) return left;
  const Token caret = next();
  const Deeper deeper(*this);
  if (too_deep(caret.span)) return invalid(caret.span);
  return binary(Op::power, left, unary());
}

Operand Parser::atom() {
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
           is(token, Keyword::not_) ? "put it in parentheses: `(not …)`" : "");
  reported_ = pos_;
  return invalid(token.span);
}

Operand Parser::parenthesised(const Token& open) {
  const Deeper deeper(*this);
  if (too_deep(open.span)) return invalid(open.span);
  const Operand inner = expression();
  const bool whole = at(TokenKind::close) || at(TokenKind::end);
  const Span outer = join(open.span, closing(open));
  return whole ? Operand{inner.node, outer} : invalid(outer);
}

Span Parser::closing(const Token& open) {
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

std::uint32_t Parser::word(const Token& token) {
  if (token.reference.meaning == Names::Meaning::metric)
    return push({.op = Op::metric, .index = token.reference.index, .span = token.span});
  return push(
      {.op = Op::input, .index = inputs_.add(names_.input(token.reference)), .span = token.span});
}

Operand Parser::unknown_word(const Token& token) {
  if (!names_.assumes()) {
    report(Code::unknown_variable, token.span,
           fmt::format("unknown variable `{}`", text(token.span)), hint_for(token));
    return invalid(token.span);
  }
  // A stand-in for the missing suite.
  Names assumed;
  std::string name(text(token.name));
  auto meaning = token.reference.meaning;
  if (token.name == token.span) {
    for (const auto& [suffix, derived, column] : kDerivedFigures) {
      if (name.size() > suffix.size() && name.ends_with(suffix)) {
        name.resize(name.size() - suffix.size());
        meaning = derived;
        break;
      }
    }
  }
  const auto near = names_.nearest_words(text(token.span));
  const std::vector<std::string_view> views(near.begin(), near.end());
  report(Code::assumed_eval, token.span, fmt::format("`{}` is assumed to be an eval", name),
         near.empty() ? "pass `--suite FILE` to check names" : base::did_you_mean(views));
  assumed.add_eval(std::move(name));
  const std::uint32_t input = inputs_.add(assumed.input({meaning, 0}));
  return {push({.op = Op::input, .index = input, .span = token.span}), token.span};
}

std::string Parser::hint_for(const Token& token) {
  // Each search looks at every name; in a formula full of unknown names, only the first few get
  // hints.
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
  if (!names_.has_samples()) {
    std::vector<std::string_view> figures;
    for (const Figure& figure : names_.figures()) figures.push_back(figure.name);
    return fmt::format("the figures are `{}`", fmt::join(figures, "`, `"));
  }
  if (find_column(text(token.span)))
    return fmt::format("`{0}` is a column: `mean({0})`, `sum({0})`, …", text(token.span));
  if (find_function(text(token.span)))
    return fmt::format("call a function with parentheses: `{}(…)`", text(token.span));
  if (names_.evals().empty()) return "no eval has a name: name each eval that the formula uses";
  return "refer to evals by their `name`";
}

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
            fmt::format("the formula is {} bytes long; the limit is {}", formula.text.size(),
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
