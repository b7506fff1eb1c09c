#include "score/run.h"

#include <array>
#include <cstddef>

namespace vibe::score {

namespace {

// The compiler warns if a status is missing here.
constexpr std::string_view name_of(RunStatus status) {
  switch (status) {
    case RunStatus::queued: return "queued";
    case RunStatus::running: return "running";
    case RunStatus::completed: return "completed";
    case RunStatus::partial_failure: return "partial_failure";
    case RunStatus::failed: return "failed";
    case RunStatus::timed_out: return "timed_out";
    case RunStatus::cancelled: return "cancelled";
  }
  return {};  // no status
}

constexpr std::string_view name_of(ResultStatus status) {
  switch (status) {
    case ResultStatus::passed: return "passed";
    case ResultStatus::failed: return "failed";
    case ResultStatus::error: return "error";
  }
  return {};  // no status
}

constexpr std::array kResultStatuses{ResultStatus::passed, ResultStatus::failed,
                                     ResultStatus::error};

// The list has each status at its index, and the enumeration has none after the last.
template <class Statuses>
consteval bool is_complete(const Statuses& all) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (static_cast<std::size_t>(all[i]) != i || name_of(all[i]).empty()) return false;
  using Status = typename Statuses::value_type;
  return name_of(static_cast<Status>(all.size())).empty();
}
static_assert(is_complete(kRunStatuses));
static_assert(is_complete(kResultStatuses));

template <class Statuses>
std::optional<typename Statuses::value_type> find(const Statuses& all, std::string_view name) {
  for (const auto status : all)
    if (name_of(status) == name) return status;
  return std::nullopt;
}

}  // namespace

std::string_view to_string(RunStatus status) { return name_of(status); }

std::string_view to_string(ResultStatus status) { return name_of(status); }

std::vector<RunStatus> unfinished_statuses() {
  std::vector<RunStatus> out(kRunStatuses.begin(), kRunStatuses.end());
  std::erase_if(out, is_finished);
  return out;
}

std::optional<RunStatus> run_status(std::string_view name) { return find(kRunStatuses, name); }

std::optional<ResultStatus> result_status(std::string_view name) {
  return find(kResultStatuses, name);
}

std::optional<std::int64_t> Result::total_tokens() const {
  if (!prompt_tokens || !completion_tokens) return std::nullopt;
  return *prompt_tokens + *completion_tokens;
}

void count_results(Run& run, std::span<const Result> results) {
  run.results = static_cast<std::uint32_t>(results.size());
  run.passed = run.errors = 0;
  for (const auto& result : results) {
    if (result.passed()) ++run.passed;
    if (result.status == ResultStatus::error) ++run.errors;
  }
}

std::optional<double> Run::success_percentage() const {
  if (results == 0) return std::nullopt;
  return 100.0 * passed / results;
}

}  // namespace vibe::score
