#include "formula/input.h"

namespace vibe::formula {

std::optional<Column> find_column(std::string_view name) {
  for (const auto& row : kColumns)
    if (row.name == name) return row.column;
  return std::nullopt;
}

Unit Input::unit() const {
  if (figure || statistic == Statistic::count) return Unit::none;
  switch (column) {
    case Column::latency: return Unit::seconds;
    case Column::cost: return Unit::dollars;
    case Column::passed:
    case Column::prompt_tokens:
    case Column::completion_tokens:
    case Column::total_tokens:
    case Column::output_quality:
    case Column::structure_score:
    case Column::fitness: return Unit::none;
  }
  return Unit::none;
}

std::uint32_t Inputs::add(Input input) {
  const auto next = static_cast<std::uint32_t>(all_.size());
  const auto [found, added] = by_name_.try_emplace(input.name, next);
  if (added) all_.push_back(std::move(input));
  return found->second;
}

}  // namespace vibe::formula
