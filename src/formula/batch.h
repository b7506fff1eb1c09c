// Batch: evaluates a program for many rows at once, column by column, in blocks that stay in the
// first-level cache. For re-scoring history. Agrees with evaluate.h to the last bit, on every
// instruction set. Owns its scratch memory: one Batch per thread.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "formula/program.h"

namespace vibe::formula {

struct Instruction;     // one operation on a block
struct InstructionSet;  // the operations, compiled for one kind of processor

class Batch {
 public:
  explicit Batch(const Program& program);  // with the best instruction set of this machine
  Batch(const Program& program, const InstructionSet& set);
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();

  // columns[i] holds `rows` values of program.inputs[i], NaN if undefined. outputs[f] receives the
  // values of formula f, NaN if undefined; null: not wanted.
  void run(std::span<const double* const> columns, std::size_t rows,
           std::span<double* const> outputs);

 private:
  std::vector<Instruction> code_;
  std::vector<double> scratch_;
  const InstructionSet* set_;
};

struct InstructionSet {
  std::string_view name;
  bool (*supported)();
  void (*run)(std::span<const Instruction> code, const double* const* columns, std::size_t rows,
              double* const* outputs, double* scratch);
};

std::span<const InstructionSet> instruction_sets();  // the most basic one first

}  // namespace vibe::formula
