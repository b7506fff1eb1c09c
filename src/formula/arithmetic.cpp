#include "formula/arithmetic.h"

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

namespace vibe::formula {

namespace arithmetic {

double round_decimal(double x, double digits) {
  const bool in_range = digits >= 0 && digits <= 15;
  if (!is_defined(x) || !in_range) return kUndefined;
  // Shortest digits as d.ddde±xx, processed as text: exact decimal arithmetic.
  char buffer[32];
  const auto written =
      std::to_chars(buffer, buffer + sizeof buffer, std::fabs(x), std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(written.ptr - buffer));
  const std::size_t e = text.find('e');
  int exponent = 0;
  const char* from = text.data() + e + 1;
  std::from_chars(*from == '+' ? from + 1 : from, written.ptr, exponent);
  std::string mantissa(1, text[0]);
  if (e > 2) mantissa += text.substr(2, e - 2);

  // How many digits remain: those before the point, and `digits` after it.
  const int keep = exponent + 1 + static_cast<int>(digits);
  if (keep >= static_cast<int>(mantissa.size())) return x;
  if (keep < 0) return std::copysign(0.0, x);
  const bool up = mantissa[static_cast<std::size_t>(keep)] >= '5';
  mantissa.resize(static_cast<std::size_t>(keep));
  if (up) {
    std::size_t i = mantissa.size();
    while (i > 0 && mantissa[i - 1] == '9') mantissa[--i] = '0';
    if (i > 0) {
      ++mantissa[i - 1];
    } else {
      mantissa.insert(mantissa.begin(), '1');
      ++exponent;
    }
  }
  if (mantissa.empty()) return std::copysign(0.0, x);
  const std::string rounded =
      mantissa + "e" + std::to_string(exponent - static_cast<int>(mantissa.size()) + 1);
  return std::copysign(std::strtod(rounded.c_str(), nullptr), x);
}

}  // namespace arithmetic

namespace {

double apply_call(const Tree& tree, const Node& node, std::span<const double> values) {
  using namespace arithmetic;
  const auto children = tree.children_of(node);
  const auto value = [&](std::size_t i) { return values[children[i]]; };
  switch (node.function->id) {
    case FunctionId::abs: return Abs::of(value(0));
    case FunctionId::ceil: return Ceil::of(value(0));
    case FunctionId::clamp: return Clamp::of(value(0), value(1), value(2));
    case FunctionId::default_: return Default::of(value(0), value(1));
    case FunctionId::exp: return Exp::of(value(0));
    case FunctionId::floor: return Floor::of(value(0));
    case FunctionId::if_: return If::of(value(0), value(1), value(2));
    case FunctionId::log: return Log::of(value(0));
    case FunctionId::log10: return Log10::of(value(0));
    case FunctionId::log2: return Log2::of(value(0));
    case FunctionId::pow: return Power::of(value(0), value(1));
    case FunctionId::round: return Round::of(value(0), children.size() > 1 ? value(1) : 0);
    case FunctionId::sqrt: return Sqrt::of(value(0));
    case FunctionId::max:
    case FunctionId::min: {
      double result = value(0);
      for (std::size_t i = 1; i < children.size(); ++i)
        result = node.function->id == FunctionId::min ? Min::of(result, value(i))
                                                      : Max::of(result, value(i));
      return result;
    }
    case FunctionId::count:
    case FunctionId::mean:
    case FunctionId::median:
    case FunctionId::pass_all:
    case FunctionId::pass_at:
    case FunctionId::pass_rate:
    case FunctionId::percentile:
    case FunctionId::stddev:
    case FunctionId::sum: return kUndefined;  // aggregates are inputs
  }
  return kUndefined;
}

}  // namespace

double apply(const Tree& tree, const Node& node, std::span<const double> values) {
  using namespace arithmetic;
  const auto children = tree.children_of(node);
  const double a = children.empty() ? kUndefined : values[children[0]];
  const double b = children.size() < 2 ? kUndefined : values[children[1]];
  double result = kUndefined;
  switch (node.op) {
    case Op::negate: result = Negate::of(a); break;
    case Op::plus: result = a; break;
    case Op::logical_not: result = Not::of(a); break;
    case Op::add: result = Add::of(a, b); break;
    case Op::subtract: result = Subtract::of(a, b); break;
    case Op::multiply: result = Multiply::of(a, b); break;
    case Op::divide: result = Divide::of(a, b); break;
    case Op::power: result = Power::of(a, b); break;
    case Op::less: result = Less::of(a, b); break;
    case Op::less_equal: result = LessEqual::of(a, b); break;
    case Op::greater: result = Less::of(b, a); break;
    case Op::greater_equal: result = LessEqual::of(b, a); break;
    case Op::equal: result = Equal::of(a, b); break;
    case Op::not_equal: result = NotEqual::of(a, b); break;
    case Op::logical_and: result = And::of(a, b); break;
    case Op::logical_or: result = Or::of(a, b); break;
    case Op::call: result = apply_call(tree, node, values); break;
    case Op::number:
    case Op::input:
    case Op::metric:
    case Op::invalid: break;  // have no operands
  }
  return settle(result);
}

}  // namespace vibe::formula
