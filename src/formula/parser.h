// Parser: the tokens of one formula → a tree, by recursive descent. Private to parse.cpp (the
// grammar) and parse_call.cpp (calls and aggregates). Used once, by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formula/token.h"
#include "formula/tree.h"

namespace vibe::formula {

// How tightly an infix operator binds; each level takes operands of the next level.
enum class Level : std::uint8_t { disjunction, conjunction, comparison, sum, term };

// A parsed operand: its node, and its text including parentheses around it.
struct Operand {
  std::uint32_t node;
  base::Span outer;
};

inline base::Span join(base::Span a, base::Span b) { return {a.begin, b.end}; }

class Parser {
 public:
  Parser(const base::Passage& formula, const Names& names, Inputs& inputs, base::Diagnostics& out);

  Tree run();

 private:
  // ---- tokens
  const Token& peek() const { return tokens_[pos_]; }
  bool at(TokenKind kind) const { return peek().kind == kind; }
  Token next() {
    const Token token = peek();
    if (token.kind != TokenKind::end) ++pos_;
    return token;
  }
  std::string_view text(base::Span span) const { return base::slice(formula_.text, span); }
  std::string found(const Token& token) const;
  void report(base::Code code, base::Span span, std::string message, std::string hint = {});
  bool begins_operand() const;
  // Reports the current token as unexpected, and skips it unless an operand begins there.
  void unexpected(std::string_view expected);
  void report_string(const Token& token);
  bool after_invalid() const;

  // ---- nodes
  std::uint32_t push(Node node, std::initializer_list<std::uint32_t> children = {});
  std::uint32_t push(Node node, std::span<const std::uint32_t> children);
  Operand invalid(base::Span span);
  Operand binary(Op op, Operand left, Operand right);

  // Counts nesting; beyond the limit the rest of the formula is not read.
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Parser& parser_;
  };
  bool too_deep(base::Span span);

  // ---- grammar
  Operand expression();
  Operand level(Level wanted);
  template <class Next>
  Operand chain(Level wanted, Next operand);
  Operand negation();
  Operand comparison();
  Operand unary();
  Operand power();
  Operand atom();
  Operand parenthesised(const Token& open);
  // The `)` for an open parenthesis; skips tokens that cannot precede it.
  base::Span closing(const Token& open);
  std::uint32_t word(const Token& token);
  Operand unknown_word(const Token& token);
  std::string hint_for(const Token& token);

  // ---- calls
  struct Arguments {
    std::vector<Operand> values;
    base::Span close;
  };
  Operand call(const Token& name);
  void report_unknown_function(const Token& name);
  // Expressions up to the closing parenthesis.
  Arguments read_arguments(const Token& open);
  // `min` and `max` take a column if a selector follows, or if the word means nothing else.
  bool takes_column(const Function& function) const;
  bool takes_samples(const Function& function) const;
  std::optional<Column> column_at(std::size_t pos) const;
  Operand column_call(const Function& function, const Token& name, const Token& open);
  Operand selector_call(const Function& function, const Token& name, const Token& open);
  Operand answers_call(const Function& function, const Token& name, const Token& open);
  // The optional (or, for pass_rate, only) selector and the closing parenthesis.
  Operand finish_aggregate(Input input, const Function& function, const Token& name,
                           const Token& open, bool comma);
  // After a mistake in a call: skips the rest of the call without checking it.
  Operand skip_call(const Token& name);
  Selector selector(const Token& string);
  // Evaluates a constant expression; nullopt, with a report, if it is not constant or out of range.
  std::optional<double> constant(const Function& function);
  double fold(std::size_t first_node) const;

  const base::Passage& formula_;
  const Names& names_;
  Inputs& inputs_;
  base::Diagnostics& out_;
  std::vector<Token> tokens_;
  std::size_t pos_ = 0;
  Tree tree_;
  std::size_t depth_ = 0, hints_ = 0;
  std::size_t reported_ = ~std::size_t{0};  // the token that was reported instead of an operand
  bool over_limit_ = false;
};

}  // namespace vibe::formula
