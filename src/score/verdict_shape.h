// The members of a finding, with their names in the store and the API's JSON (base/shape.h).
#pragma once

#include "base/shape.h"
#include "score/verdict.h"

namespace vibe::score {

inline bool is_pass(const Finding& finding) { return finding.verdict == Verdict::pass; }

}  // namespace vibe::score

namespace vibe::base {

template <>
inline constexpr auto kReadName<score::Verdict> = &score::verdict;

template <>
inline constexpr auto kRows<score::Judged> = Rows{
    Row<&score::Judged::model>{"model", "model"},
    Row<&score::Judged::asked>{"asked", "asked"},
    Row<&score::Judged::agreed>{"agreed", "agreed"},
    Row<&score::Judged::prompt_tokens>{"prompt_tokens", "prompt_tokens", Wire::known},
    Row<&score::Judged::completion_tokens>{"completion_tokens", "completion_tokens", Wire::known},
    Row<&score::Judged::cost>{"cost", "cost", Wire::known},
};
static_assert(has_row_for_each<score::Judged>());

template <>
inline constexpr auto kRows<score::Finding> = Rows{
    Row<&score::Finding::type>{"type", "type"},
    Derived<score::is_pass>{"passed"},
    Row<&score::Finding::verdict>{"verdict", "status"},
    Row<&score::Finding::message>{"message", "message"},
    Row<&score::Finding::children>{"children", "children", Wire::given},
    Row<&score::Finding::judged>{"judged", "judge", Wire::given},
};
static_assert(has_row_for_each<score::Finding>());

}  // namespace vibe::base
