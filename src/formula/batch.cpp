#include "formula/batch.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "formula/arithmetic.h"

// The output block may be one of the operand blocks, at the same index: no loop carries a
// dependence.
#ifdef __clang__
#define VIBE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#pragma clang diagnostic ignored "-Wpass-failed"  // library calls are not vectorized
#else
#define VIBE_INDEPENDENT _Pragma("GCC ivdep")
#endif
#define VIBE_INLINE [[gnu::always_inline]] inline

namespace vibe::formula {

namespace {

constexpr std::size_t kBlock = 256;  // rows; 2 KiB per slot
constexpr std::size_t kAlignment = 64;

enum class Opcode : std::uint8_t {
  // arithmetic, which can settle its result; common combinations in one pass
  add,
  subtract,
  multiply,
  divide,
  add_product,                // a + b * c
  subtract_product,           // a - b * c
  divide_sum,                 // (a + b) / c
  divide_product,             // a * b / c
  divide_by_product,          // a / (b * c)
  divide_sum_by_product,      // (a + b) / (c * d)
  divide_product_by_product,  // a * b / (c * d)
  // two operands
  power,
  less,
  less_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  min,
  max,
  default_,
  round,
  // one
  negate,
  logical_not,
  abs,
  sqrt,
  floor,
  ceil,
  exp,
  log,
  log2,
  log10,
  settle,
  copy,
  // three
  if_,
  clamp,
};

struct Operand {
  enum class Kind : std::uint8_t { none, column, slot, constant };
  Kind kind = Kind::none;
  std::uint32_t index = 0;
  double value = 0;
};

}  // namespace

struct Instruction {
  Opcode op;
  Operand a = {}, b = {}, c = {}, d = {};
  bool settles = false;    // infinity becomes NaN
  bool to_output = false;  // writes a formula's output, else a slot
  std::uint32_t target = 0;
};

namespace {

using namespace arithmetic;

// ---- kernels

struct Vector {
  const double* data;
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): an operand without data is a constant
  VIBE_INLINE double at(std::size_t i) const { return data[i]; }
};
struct Scalar {
  double value;
  VIBE_INLINE double at(std::size_t) const { return value; }
};

template <class F, class... A>
VIBE_INLINE void map(double* out, std::size_t rows, A... operands) {
  VIBE_INDEPENDENT
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): null outputs were left out
  for (std::size_t i = 0; i < rows; ++i) out[i] = F::of(operands.at(i)...);
}

template <class F>
struct Settled {
  template <class... T>
  VIBE_INLINE static double of(T... operands) {
    return settle(F::of(operands...));
  }
};
template <class F>
struct WithProduct {
  VIBE_INLINE static double of(double a, double b, double c) {
    return F::of(a, Multiply::of(b, c));
  }
};
template <class F>
struct Quotient {
  VIBE_INLINE static double of(double a, double b, double c) { return Divide::of(F::of(a, b), c); }
  VIBE_INLINE static double of(double a, double b, double c, double d) {
    return Divide::of(F::of(a, b), Multiply::of(c, d));
  }
};

// One instruction on one block, with resolved operands.
struct Block {
  const Instruction& instruction;
  const double *a, *b, *c, *d;
  double* out;
  std::size_t rows;
};

template <class F>
VIBE_INLINE void unary(const Block& x) {
  map<F>(x.out, x.rows, Vector{x.a});
}
template <class F>
VIBE_INLINE void binary(const Block& x) {
  if (x.a == nullptr)
    map<F>(x.out, x.rows, Scalar{x.instruction.a.value}, Vector{x.b});
  else if (x.b == nullptr)
    map<F>(x.out, x.rows, Vector{x.a}, Scalar{x.instruction.b.value});
  else
    map<F>(x.out, x.rows, Vector{x.a}, Vector{x.b});
}

template <class F>
VIBE_INLINE void arithmetic(const Block& x) {
  return x.instruction.settles ? binary<Settled<F>>(x) : binary<F>(x);
}
template <class F, class... A>
VIBE_INLINE void fused(const Block& x, A... operands) {
  return x.instruction.settles ? map<Settled<F>>(x.out, x.rows, operands...)
                               : map<F>(x.out, x.rows, operands...);
}
template <class F>
VIBE_INLINE void with_product(const Block& x) {
  if (x.c == nullptr)
    fused<F>(x, Vector{x.a}, Vector{x.b}, Scalar{x.instruction.c.value});
  else
    fused<F>(x, Vector{x.a}, Vector{x.b}, Vector{x.c});
}

VIBE_INLINE void execute(const Block& x) {
  switch (x.instruction.op) {
    case Opcode::add: return arithmetic<Add>(x);
    case Opcode::subtract: return arithmetic<Subtract>(x);
    case Opcode::multiply: return arithmetic<Multiply>(x);
    case Opcode::divide: return arithmetic<Divide>(x);
    case Opcode::add_product: return with_product<WithProduct<Add>>(x);
    case Opcode::subtract_product: return with_product<WithProduct<Subtract>>(x);
    case Opcode::divide_by_product: return with_product<WithProduct<Divide>>(x);
    case Opcode::divide_sum: return fused<Quotient<Add>>(x, Vector{x.a}, Vector{x.b}, Vector{x.c});
    case Opcode::divide_product:
      return fused<Quotient<Multiply>>(x, Vector{x.a}, Vector{x.b}, Vector{x.c});
    case Opcode::divide_sum_by_product:
      return fused<Quotient<Add>>(x, Vector{x.a}, Vector{x.b}, Vector{x.c}, Vector{x.d});
    case Opcode::divide_product_by_product:
      return fused<Quotient<Multiply>>(x, Vector{x.a}, Vector{x.b}, Vector{x.c}, Vector{x.d});
    case Opcode::power: return binary<Power>(x);
    case Opcode::less: return binary<Less>(x);
    case Opcode::less_equal: return binary<LessEqual>(x);
    case Opcode::equal: return binary<Equal>(x);
    case Opcode::not_equal: return binary<NotEqual>(x);
    case Opcode::logical_and: return binary<And>(x);
    case Opcode::logical_or: return binary<Or>(x);
    case Opcode::min: return binary<Min>(x);
    case Opcode::max: return binary<Max>(x);
    case Opcode::default_: return binary<Default>(x);
    case Opcode::round: return binary<Round>(x);
    case Opcode::negate: return unary<Negate>(x);
    case Opcode::logical_not: return unary<Not>(x);
    case Opcode::abs: return unary<Abs>(x);
    case Opcode::sqrt: return unary<Sqrt>(x);
    case Opcode::floor: return unary<Floor>(x);
    case Opcode::ceil: return unary<Ceil>(x);
    case Opcode::exp: return unary<Exp>(x);
    case Opcode::log: return unary<Log>(x);
    case Opcode::log2: return unary<Log2>(x);
    case Opcode::log10: return unary<Log10>(x);
    case Opcode::settle: return unary<Settle>(x);
    case Opcode::copy:
      if (x.a == nullptr) return map<Copy>(x.out, x.rows, Scalar{x.instruction.a.value});
      return unary<Copy>(x);
    case Opcode::if_: return map<If>(x.out, x.rows, Vector{x.a}, Vector{x.b}, Vector{x.c});
    case Opcode::clamp: return map<Clamp>(x.out, x.rows, Vector{x.a}, Vector{x.b}, Vector{x.c});
  }
}

VIBE_INLINE void run_blocks(std::span<const Instruction> code, const double* const* columns,
                            std::size_t rows, double* const* outputs, double* scratch) {
  for (std::size_t begin = 0; begin < rows; begin += kBlock) {
    const std::size_t count = rows - begin < kBlock ? rows - begin : kBlock;
    const auto find = [&](const Operand& operand) -> const double* {
      if (operand.kind == Operand::Kind::column) return columns[operand.index] + begin;
      if (operand.kind == Operand::Kind::slot) return scratch + operand.index * kBlock;
      return nullptr;
    };
    for (const Instruction& instruction : code) {
      double* out = scratch + instruction.target * kBlock;
      if (instruction.to_output) {
        if (outputs[instruction.target] == nullptr) continue;
        out = outputs[instruction.target] + begin;
      }
      execute({instruction, find(instruction.a), find(instruction.b), find(instruction.c),
               find(instruction.d), out, count});
    }
  }
}

// ---- the same code for each instruction set

void run_plain(std::span<const Instruction> code, const double* const* columns, std::size_t rows,
               double* const* outputs, double* scratch) {
  run_blocks(code, columns, rows, outputs, scratch);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void run_avx2(std::span<const Instruction> code,
                                      const double* const* columns, std::size_t rows,
                                      double* const* outputs, double* scratch) {
  run_blocks(code, columns, rows, outputs, scratch);
}
#endif

constexpr InstructionSet kInstructionSets[] = {
    {"plain", [] { return true; }, run_plain},
#if defined(__x86_64__)
    {"avx2", [] { return __builtin_cpu_supports("avx2") != 0; }, run_avx2},
#endif
};

const InstructionSet& best_instruction_set() {
  const auto sets = instruction_sets();
  const auto best = std::find_if(sets.rbegin(), sets.rend(),
                                 [](const InstructionSet& s) { return s.supported(); });
  return *best;
}

// ---- from trees to instructions

// A stack machine: in postorder, a node's operands are on top of the stack. The slots of the
// metrics are below it, since other formulas read them.
class Lowering {
 public:
  explicit Lowering(const Program& program)
      : program_(program), first_free_(program.formulas.size()) {}

  std::vector<Instruction> run() {
    for (const std::uint32_t f : program_.order) {
      const bool is_score = f + 1 == program_.formulas.size();
      for (const Node& node : program_.formulas[f].tree.nodes)
        lower(program_.formulas[f].tree, node);
      finish(f, is_score);
    }
    return std::move(code_);
  }
  std::size_t slots() const { return slots_; }

 private:
  void lower(const Tree& tree, const Node& node) {
    if (node.op == Op::number) return push({Operand::Kind::constant, 0, node.number});
    if (node.op == Op::input) return push({Operand::Kind::column, node.index, 0});
    if (node.op == Op::metric) return push({Operand::Kind::slot, node.index, 0});
    if (node.op == Op::plus) return;
    const auto children = tree.children_of(node);
    if (all_constant(children.size())) return fold(tree, node);
    switch (node.op) {
      case Op::negate: return emit(Opcode::negate, 1);
      case Op::logical_not: return emit(Opcode::logical_not, 1);
      case Op::add: return emit_sum();
      case Op::subtract: return emit_with_product(Opcode::subtract, Opcode::subtract_product);
      case Op::multiply: return emit(Opcode::multiply, 2);
      case Op::divide: return emit_quotient();
      case Op::power: return emit(Opcode::power, 2);
      case Op::less: return emit(Opcode::less, 2);
      case Op::less_equal: return emit(Opcode::less_equal, 2);
      case Op::greater: return emit_exchanged(Opcode::less);
      case Op::greater_equal: return emit_exchanged(Opcode::less_equal);
      case Op::equal: return emit(Opcode::equal, 2);
      case Op::not_equal: return emit(Opcode::not_equal, 2);
      case Op::logical_and: return emit(Opcode::logical_and, 2);
      case Op::logical_or: return emit(Opcode::logical_or, 2);
      case Op::call: return lower_call(node, children.size());
      case Op::number:
      case Op::input:
      case Op::metric:
      case Op::plus:
      case Op::invalid: return;
    }
  }

  void lower_call(const Node& node, std::size_t arguments) {
    switch (node.function->id) {
      case FunctionId::abs: return emit(Opcode::abs, 1);
      case FunctionId::ceil: return emit(Opcode::ceil, 1);
      case FunctionId::exp: return emit(Opcode::exp, 1);
      case FunctionId::floor: return emit(Opcode::floor, 1);
      case FunctionId::log: return emit(Opcode::log, 1);
      case FunctionId::log10: return emit(Opcode::log10, 1);
      case FunctionId::log2: return emit(Opcode::log2, 1);
      case FunctionId::sqrt: return emit(Opcode::sqrt, 1);
      case FunctionId::pow: return emit(Opcode::power, 2);
      case FunctionId::default_: return emit(Opcode::default_, 2);
      case FunctionId::if_: return emit_vectors(Opcode::if_);
      case FunctionId::clamp: return emit_vectors(Opcode::clamp);
      case FunctionId::round:
        if (arguments == 1) push({Operand::Kind::constant, 0, 0});
        return emit(Opcode::round, 2);
      case FunctionId::min: return emit_chain(Opcode::min, arguments);
      case FunctionId::max: return emit_chain(Opcode::max, arguments);
      case FunctionId::count:
      case FunctionId::mean:
      case FunctionId::median:
      case FunctionId::pass_all:
      case FunctionId::pass_at:
      case FunctionId::pass_rate:
      case FunctionId::percentile:
      case FunctionId::stddev:
      case FunctionId::sum: return;  // aggregates are inputs
    }
  }

  void push(Operand operand) { stack_.push_back(operand); }
  Operand pop() {
    const Operand operand = stack_.back();
    stack_.pop_back();
    return operand;
  }
  // The slot for a value at this height of the stack.
  std::uint32_t slot(std::size_t height) {
    const std::size_t index = first_free_ + height;
    slots_ = std::max(slots_, index + 1);
    return static_cast<std::uint32_t>(index);
  }
  bool all_constant(std::size_t count) const {
    return std::all_of(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end(),
                       [](const Operand& o) { return o.kind == Operand::Kind::constant; });
  }

  void fold(const Tree& tree, const Node& node) {
    const auto children = tree.children_of(node);
    std::vector<double> values(tree.nodes.size());
    for (std::size_t i = children.size(); i-- > 0;) values[children[i]] = pop().value;
    push({Operand::Kind::constant, 0, apply(tree, node, values)});
  }

  void emit(Opcode op, std::size_t operands) {
    Instruction instruction{.op = op};
    if (operands == 2) instruction.b = pop();
    instruction.a = pop();
    // The kernels need at least one vector among two operands.
    if (operands == 2 && instruction.a.kind == Operand::Kind::constant &&
        instruction.b.kind == Operand::Kind::constant)
      instruction.a = in_slot(instruction.a, stack_.size());
    add(instruction);
  }
  // Whether the last instruction produced this operand, with this operation.
  bool is_last(const Operand& operand, Opcode op) const {
    return operand.kind == Operand::Kind::slot && operand.index >= first_free_ && !code_.empty() &&
           code_.back().op == op && code_.back().target == operand.index;
  }
  Instruction take_last() {
    const Instruction last = code_.back();
    code_.pop_back();
    return last;
  }
  // A product that is the last operand is fused into the instruction that uses it.
  void emit_with_product(Opcode op, Opcode with_product) {
    if (!is_last(stack_.back(), Opcode::multiply) ||
        stack_.end()[-2].kind == Operand::Kind::constant)
      return emit(op, 2);
    pop();
    Instruction product = take_last();
    if (product.a.kind == Operand::Kind::constant) std::swap(product.a, product.b);
    add({.op = with_product, .a = pop(), .b = product.a, .c = product.b});
  }
  void emit_sum() {
    if (is_last(stack_.end()[-2], Opcode::multiply)) std::swap(stack_.back(), stack_.end()[-2]);
    emit_with_product(Opcode::add, Opcode::add_product);
  }
  // A division takes so long that the last operations of its operands are free if they are fused
  // with it.
  void emit_quotient() {
    emit_with_product(Opcode::divide, Opcode::divide_by_product);
    const Instruction quotient = code_.back();
    const bool by_product = quotient.op == Opcode::divide_by_product;
    if (code_.size() < 2 || quotient.b.kind == Operand::Kind::constant ||
        (by_product && quotient.c.kind == Operand::Kind::constant))
      return;
    take_last();
    const bool sum = is_last(quotient.a, Opcode::add);
    const bool vectors = code_.back().a.kind != Operand::Kind::constant &&
                         code_.back().b.kind != Operand::Kind::constant;
    if (!vectors || !(sum || is_last(quotient.a, Opcode::multiply))) {
      code_.push_back(quotient);
      return;
    }
    pop();
    const Instruction numerator = take_last();
    const Opcode op =
        by_product ? (sum ? Opcode::divide_sum_by_product : Opcode::divide_product_by_product)
                   : (sum ? Opcode::divide_sum : Opcode::divide_product);
    add({.op = op, .a = numerator.a, .b = numerator.b, .c = quotient.b, .d = quotient.c});
  }
  void emit_exchanged(Opcode op) {
    std::swap(stack_[stack_.size() - 1], stack_[stack_.size() - 2]);
    // Both operands are read before anything is written, so their slots may be in any order.
    emit(op, 2);
  }
  void emit_vectors(Opcode op) {
    const std::size_t height = stack_.size() - 3;
    for (std::size_t i = height; i < stack_.size(); ++i)
      if (stack_[i].kind == Operand::Kind::constant) stack_[i] = in_slot(stack_[i], i);
    Instruction instruction{.op = op};
    instruction.c = pop();
    instruction.b = pop();
    instruction.a = pop();
    add(instruction);
  }
  // min(a, b, c) is min(min(a, b), c), from the left like in the other evaluator.
  void emit_chain(Opcode op, std::size_t arguments) {
    const std::vector<Operand> operands(stack_.end() - static_cast<std::ptrdiff_t>(arguments),
                                        stack_.end());
    stack_.resize(stack_.size() - arguments);
    push(operands[0]);
    for (std::size_t i = 1; i < arguments; ++i) {
      push(operands[i]);
      emit(op, 2);
    }
  }
  void add(Instruction instruction) {
    instruction.target = slot(stack_.size());
    code_.push_back(instruction);
    push({Operand::Kind::slot, instruction.target, 0});
  }
  Operand in_slot(Operand constant, std::size_t height) {
    const std::uint32_t target = slot(height);
    code_.push_back({.op = Opcode::copy, .a = constant, .target = target});
    return {Operand::Kind::slot, target, 0};
  }

  // Writes the formula's value, settled, to the output if it is wanted there.
  void finish(std::uint32_t formula, bool is_score) {
    const Operand result = pop();
    if (result.kind == Operand::Kind::constant) {
      code_.push_back({.op = Opcode::copy, .a = result, .to_output = is_score, .target = formula});
    } else if (can_settle_last(result)) {
      code_.back().settles = true;
      code_.back().to_output = is_score;
      code_.back().target = formula;
    } else {
      code_.push_back(
          {.op = Opcode::settle, .a = result, .to_output = is_score, .target = formula});
    }
    if (!is_score)
      code_.push_back({.op = Opcode::copy,
                       .a = {Operand::Kind::slot, formula, 0},
                       .to_output = true,
                       .target = formula});
  }
  bool can_settle_last(const Operand& result) const {
    return !code_.empty() && result.kind == Operand::Kind::slot && result.index >= first_free_ &&
           !code_.back().to_output && code_.back().target == result.index &&
           code_.back().op <= Opcode::divide_product_by_product;
  }

  const Program& program_;
  std::size_t first_free_, slots_ = 0;
  std::vector<Operand> stack_;
  std::vector<Instruction> code_;
};

}  // namespace

std::span<const InstructionSet> instruction_sets() { return kInstructionSets; }

Batch::Batch(const Program& program) : Batch(program, best_instruction_set()) {}

Batch::Batch(const Program& program, const InstructionSet& set) : set_(&set) {
  Lowering lowering(program);
  code_ = lowering.run();
  const std::size_t slots = std::max(lowering.slots(), program.formulas.size());
  scratch_.resize(slots * kBlock + kAlignment / sizeof(double));
}

Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;
Batch::~Batch() = default;

void Batch::run(std::span<const double* const> columns, std::size_t rows,
                std::span<double* const> outputs) {
  void* scratch = scratch_.data();
  std::size_t space = scratch_.size() * sizeof(double);
  scratch = std::align(kAlignment, kBlock * sizeof(double), scratch, space);
  set_->run(code_, columns.data(), rows, outputs.data(), static_cast<double*>(scratch));
}

}  // namespace vibe::formula
