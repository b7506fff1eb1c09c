#include "formula/input.h"

#include <algorithm>

#include "base/text.h"

namespace vibe::formula {

std::optional<Column> find_column(std::string_view name) {
  for (const auto& row : kColumns)
    if (row.name == name) return row.column;
  return std::nullopt;
}

bool selects(const Selector& selector, std::string_view eval, std::span<const std::string> tags) {
  switch (selector.kind) {
    case Selector::Kind::all: return true;
    case Selector::Kind::eval: return eval == selector.text;
    case Selector::Kind::glob: return !eval.empty() && base::glob_match(selector.text, eval);
    case Selector::Kind::tag:
      return !eval.empty() && std::find(tags.begin(), tags.end(), selector.text) != tags.end();
  }
  return false;
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
