// The members of rescored runs and their summary, with their names in the API's JSON
// (base/shape.h). In the order of the JSON.
#pragma once

#include "base/shape.h"
#include "score/rescored.h"

namespace vibe::base {

template <>
inline constexpr auto kRows<score::RescoredRun> = Rows{
    Row<&score::RescoredRun::id>{.key = "id"},
    Row<&score::RescoredRun::suite>{.key = "suite_name"},
    Row<&score::RescoredRun::model>{.key = "model"},
    Row<&score::RescoredRun::created_at>{.key = "created_at", .wire = Wire::time},
    Row<&score::RescoredRun::before>{.key = "score_before", .wire = Wire::known},
    Row<&score::RescoredRun::after>{.key = "score_after", .wire = Wire::known},
    Row<&score::RescoredRun::error>{.key = "error", .wire = Wire::known},
    Row<&score::RescoredRun::rank_before>{.key = "rank_before", .wire = Wire::known},
    Row<&score::RescoredRun::rank_after>{.key = "rank_after", .wire = Wire::known},
    Row<&score::RescoredRun::passed_before>{.key = "passed_before", .wire = Wire::known},
    Row<&score::RescoredRun::passes_after>{.key = "passes_after", .wire = Wire::known},
    Row<&score::RescoredRun::certainty>{.key = "interval", .wire = Wire::own},
};
static_assert(has_row_for_each<score::RescoredRun>());

template <>
inline constexpr auto kRows<score::Spread> = Rows{
    Row<&score::Spread::least>{.key = "least"},
    Row<&score::Spread::median>{.key = "median"},
    Row<&score::Spread::mean>{.key = "mean"},
    Row<&score::Spread::most>{.key = "most"},
};
static_assert(has_row_for_each<score::Spread>());

template <>
inline constexpr auto kRows<score::Unscored> = Rows{
    Row<&score::Unscored::why>{.key = "why"},
    Row<&score::Unscored::runs>{.key = "runs"},
};
static_assert(has_row_for_each<score::Unscored>());

template <>
inline constexpr auto kRows<score::GateCounts> = Rows{
    Row<&score::GateCounts::runs>{.key = "runs"},
    Row<&score::GateCounts::passed_before>{.key = "passed_before"},
    Row<&score::GateCounts::pass_after>{.key = "pass_after"},
    Row<&score::GateCounts::lost>{.key = "lost"},
    Row<&score::GateCounts::won>{.key = "won"},
};
static_assert(has_row_for_each<score::GateCounts>());

template <>
inline constexpr auto kRows<score::RescoreSummary> = Rows{
    Row<&score::RescoreSummary::formula>{.key = "formula"},
    Row<&score::RescoreSummary::runs>{.key = "runs"},
    Row<&score::RescoreSummary::scored>{.key = "scored"},
    Row<&score::RescoreSummary::changed>{.key = "changed"},
    Row<&score::RescoreSummary::ranked>{.key = "ranked"},
    Row<&score::RescoreSummary::moved>{.key = "moved"},
    Row<&score::RescoreSummary::before>{.key = "before", .wire = Wire::known},
    Row<&score::RescoreSummary::after>{.key = "after", .wire = Wire::known},
    Row<&score::RescoreSummary::unscored>{.key = "unscored"},
    Row<&score::RescoreSummary::gates>{.key = "gates"},
    Row<&score::RescoreSummary::flips>{.key = "flips"},
    Row<&score::RescoreSummary::movers>{.key = "movers"},
    Row<&score::RescoreSummary::best_before>{.key = "best_before", .wire = Wire::known},
    Row<&score::RescoreSummary::best_after>{.key = "best_after", .wire = Wire::known},
    Row<&score::RescoreSummary::kept>{.key = "kept", .wire = Wire::known},
    Row<&score::RescoreSummary::notes>{.key = "notes"},
};
static_assert(has_row_for_each<score::RescoreSummary>());

}  // namespace vibe::base
