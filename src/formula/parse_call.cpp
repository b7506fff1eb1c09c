#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "formula/arithmetic.h"
#include "formula/parser.h"

namespace vibe::formula {

using base::Code;
using base::Span;

namespace {

constexpr double kMostAnswers = 1000;  // to an eval, for which a chance is computed

std::string counted(const Function& function) {
  if (function.least == function.most)
    return fmt::format("{} argument{}", function.least, function.least == 1 ? "" : "s");
  return fmt::format("{} {} {} arguments", function.least,
                     function.most == function.least + 1 ? "or" : "to", function.most);
}

std::string column_hint() {
  std::string hint = "the columns are ";
  for (std::size_t i = 0; i < kColumns.size(); ++i)
    hint += fmt::format("{}`{}`", i == 0 ? "" : ", ", kColumns[i].name);
  return hint;
}

Statistic statistic(FunctionId id) {
  switch (id) {
    case FunctionId::sum: return Statistic::sum;
    case FunctionId::median: return Statistic::median;
    case FunctionId::stddev: return Statistic::stddev;
    case FunctionId::percentile: return Statistic::percentile;
    case FunctionId::count: return Statistic::count;
    case FunctionId::min: return Statistic::min;
    case FunctionId::max: return Statistic::max;
    case FunctionId::pass_all: return Statistic::pass_all;
    case FunctionId::pass_at: return Statistic::pass_at;
    case FunctionId::mean:
    case FunctionId::pass_rate: return Statistic::mean;
    case FunctionId::abs:
    case FunctionId::ceil:
    case FunctionId::clamp:
    case FunctionId::default_:
    case FunctionId::exp:
    case FunctionId::floor:
    case FunctionId::if_:
    case FunctionId::log:
    case FunctionId::log10:
    case FunctionId::log2:
    case FunctionId::pow:
    case FunctionId::round:
    case FunctionId::sqrt: break;  // of numbers, not of a column
  }
  std::abort();
}

}  // namespace

Operand Parser::call(const Token& name) {
  const Deeper deeper(*this);
  if (too_deep(name.span)) return invalid(name.span);
  const Token open = next();  // the lexer has seen it
  const Function* function = find_function(text(name.span));
  if (function == nullptr) {
    report_unknown_function(name);
    const Arguments arguments = read_arguments(open);
    return invalid(join(name.span, arguments.close));
  }
  if (!names_.has_samples() && takes_samples(*function)) {
    report(
        Code::wrong_argument, name.span,
        fmt::format("`{}` works on the samples of a run, but there are none here", function->name),
        "this formula works on the figures of one execution");
    return skip_call(name);
  }
  if (takes_column(*function)) return column_call(*function, name, open);
  if (function->takes == Takes::selector) return selector_call(*function, name, open);
  if (function->takes == Takes::number_of_answers) return answers_call(*function, name, open);
  const Arguments arguments = read_arguments(open);
  const Span span = join(name.span, arguments.close);
  const auto& values = arguments.values;
  if (values.size() > function->most) {
    report(Code::wrong_arity, values[function->most].outer,
           fmt::format("`{}` takes {}, not {}", function->name, counted(*function), values.size()),
           fmt::format("write `{}`", function->signature));
    return invalid(span);
  }
  if (values.size() < function->least) {
    report(Code::wrong_arity, span,
           fmt::format("`{}` takes {}, not {}", function->name, counted(*function), values.size()),
           fmt::format("write `{}`", function->signature));
    return invalid(span);
  }
  std::vector<std::uint32_t> children;
  children.reserve(values.size());
  for (const auto& value : values) children.push_back(value.node);
  return {push({.op = Op::call, .function = function, .span = span}, children), span};
}

void Parser::report_unknown_function(const Token& name) {
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

Parser::Arguments Parser::read_arguments(const Token& open) {
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

bool Parser::takes_samples(const Function& function) const {
  return takes_column(function) || function.takes == Takes::selector ||
         function.takes == Takes::number_of_answers;
}

bool Parser::takes_column(const Function& function) const {
  if (function.takes == Takes::column || function.takes == Takes::column_and_number) return true;
  if (function.takes != Takes::column_or_numbers || !names_.has_samples() || !column_at(pos_))
    return false;
  const Token& after = tokens_[pos_ + 1];
  if (after.kind == TokenKind::comma) return tokens_[pos_ + 2].kind == TokenKind::string;
  return after.kind == TokenKind::close && at(TokenKind::unknown_word);
}

std::optional<Column> Parser::column_at(std::size_t pos) const {
  const Token& token = tokens_[pos];
  if (token.kind != TokenKind::word && token.kind != TokenKind::unknown_word) return std::nullopt;
  const auto after = tokens_[pos + 1].kind;
  if (after != TokenKind::comma && after != TokenKind::close && after != TokenKind::end)
    return std::nullopt;
  return find_column(text(token.span));
}

Operand Parser::column_call(const Function& function, const Token& name, const Token& open) {
  const auto column = column_at(pos_);
  if (!column) {
    if (at(TokenKind::close) || at(TokenKind::end)) {
      report(Code::wrong_arity, join(name.span, peek().span),
             fmt::format("`{}` needs a column", function.name),
             fmt::format("write `{}`", function.signature));
      return skip_call(name);
    }
    if (find_column(text(peek().span)))
      report(Code::wrong_argument, peek().span,
             fmt::format("`{}` takes a single column, not an expression", function.name),
             fmt::format("write `{}`", function.signature));
    else if (!at(TokenKind::invalid))
      report(Code::wrong_argument, peek().span,
             fmt::format("`{}` takes a column, not {}", function.name, found(peek())),
             column_hint());
    return skip_call(name);
  }
  Input input{.name = fmt::format("{}({}", function.name, text(next().span)),
              .statistic = statistic(function.id),
              .column = *column};
  if (function.takes == Takes::column_and_number) {
    if (!at(TokenKind::comma)) {
      report(Code::wrong_arity, join(name.span, peek().span),
             fmt::format("`{}` needs a column and a number", function.name),
             fmt::format("write `{}`", function.signature));
      return skip_call(name);
    }
    next();
    const auto percentile = constant(function);
    if (!percentile) return skip_call(name);
    input.constant = *percentile;
    input.name += fmt::format(", {}", *percentile);
  }
  return finish_aggregate(std::move(input), function, name, open, true);
}

Operand Parser::selector_call(const Function& function, const Token& name, const Token& open) {
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
              .column = Column::passed};
  return finish_aggregate(std::move(input), function, name, open, false);
}

Operand Parser::answers_call(const Function& function, const Token& name, const Token& open) {
  if (at(TokenKind::close) || at(TokenKind::end)) {
    report(Code::wrong_arity, join(name.span, peek().span),
           fmt::format("`{}` needs a number of answers", function.name),
           fmt::format("write `{}`", function.signature));
    return skip_call(name);
  }
  const auto answers = constant(function);
  if (!answers) return skip_call(name);
  Input input{.name = fmt::format("{}({}", function.name, *answers),
              .statistic = statistic(function.id),
              .column = Column::passed,
              .constant = *answers};
  return finish_aggregate(std::move(input), function, name, open, true);
}

Operand Parser::finish_aggregate(Input input, const Function& function, const Token& name,
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
           fmt::format("`{}` takes no further arguments", function.name),
           fmt::format("write `{}`", function.signature));
    return skip_call(name);
  }
  const Span span = join(name.span, closing(open));
  input.name += ")";
  return {push({.op = Op::input, .index = inputs_.add(std::move(input)), .span = span}), span};
}

Operand Parser::skip_call(const Token& name) {
  for (std::size_t nested = 0; !at(TokenKind::end); next()) {
    if (at(TokenKind::open)) ++nested;
    if (at(TokenKind::close) && nested-- == 0) return invalid(join(name.span, next().span));
  }
  return invalid(join(name.span, peek().span));
}

Selector Parser::selector(const Token& string) {
  const auto quoted = text(string.span);
  const auto inner = quoted.substr(1, quoted.size() - 2);
  constexpr std::string_view kTag = "tag:";
  Selector chosen{Selector::Kind::glob, std::string(inner)};
  if (inner.starts_with(kTag))
    chosen = {Selector::Kind::tag, std::string(inner.substr(kTag.size()))};
  if (!names_.assumes() && !names_.any_eval_matches(chosen)) {
    const bool tag = chosen.kind == Selector::Kind::tag;
    report(Code::matches_nothing, string.span,
           tag ? fmt::format("no named eval has the tag `{}`", chosen.text)
               : fmt::format("no eval name matches `{}`", chosen.text),
           tag ? "tags are exact and case-sensitive"
               : "a glob matches the whole name, and is case-sensitive");
  }
  return chosen;
}

std::optional<double> Parser::constant(const Function& function) {
  const auto first_node = tree_.nodes.size();
  const auto first_child = tree_.children.size();
  const std::size_t errors = out_.errors();
  const Operand operand = expression();
  double value = kUndefined;
  if (out_.errors() == errors) value = fold(first_node);
  tree_.nodes.resize(first_node);
  tree_.children.resize(first_child);
  if (out_.errors() != errors) return std::nullopt;
  const bool is_whole = function.takes == Takes::number_of_answers;
  const double least = is_whole ? 1 : 0, most = is_whole ? kMostAnswers : 100;
  if (value >= least && value <= most && (!is_whole || value == std::floor(value))) return value;
  report(Code::wrong_argument, operand.outer,
         fmt::format("`{}` takes a {} from {} to {}, not `{}`", function.name,
                     is_whole ? "whole constant" : "constant", least, most, text(operand.outer)),
         fmt::format("write `{}`", function.example));
  return std::nullopt;
}

double Parser::fold(std::size_t first_node) const {
  std::vector<double> values(tree_.nodes.size(), kUndefined);
  for (std::size_t i = first_node; i < tree_.nodes.size(); ++i) {
    const Node& node = tree_.nodes[i];
    if (node.op == Op::input || node.op == Op::metric) return kUndefined;
    values[i] = node.op == Op::number ? node.number : apply(tree_, node, values);
  }
  return values.back();
}

}  // namespace vibe::formula
