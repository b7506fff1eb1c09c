// The members of a finding, by their names in the store and in the API's JSON (base/shape.h).
#pragma once

#include <tuple>

#include "base/shape.h"
#include "check/verdict.h"

namespace vibe::check {

inline bool has_passed(const Finding& finding) { return finding.verdict == Verdict::pass; }

}  // namespace vibe::check

namespace vibe::base {

template <>
inline constexpr auto kReadName<check::Verdict> = &check::verdict;

template <>
inline constexpr auto kRows<check::Judged> = std::tuple{
    Row<&check::Judged::model>{"model", "model"},
    Row<&check::Judged::asked>{"asked", "asked"},
    Row<&check::Judged::agreed>{"agreed", "agreed"},
    Row<&check::Judged::prompt_tokens>{"prompt_tokens", "prompt_tokens", Wire::known},
    Row<&check::Judged::completion_tokens>{"completion_tokens", "completion_tokens", Wire::known},
    Row<&check::Judged::cost>{"cost", "cost", Wire::known},
};
static_assert(has_row_for_each<check::Judged>());

template <>
inline constexpr auto kRows<check::Finding> = std::tuple{
    Row<&check::Finding::type>{"type", "type"},
    Derived<check::has_passed>{"passed"},
    Row<&check::Finding::verdict>{"verdict", "status"},
    Row<&check::Finding::message>{"message", "message"},
    Row<&check::Finding::children>{"children", "children", Wire::given},
    Row<&check::Finding::judged>{"judged", "judge", Wire::given},
};
static_assert(has_row_for_each<check::Finding>());

}  // namespace vibe::base
