// Plan: everything that a run of a suite will send, computed before anything is sent: the selected
// evals, their cases and repeats, in order. Immutable once made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "model/model.h"
#include "run/fill.h"
#include "run/filled_size.h"
#include "run/redact.h"
#include "suite/suite.h"

namespace vibe::run {

inline constexpr std::size_t kMaxSamples = 1'000'000;  // in one run

// One request of the plan.
struct PlannedSample {
  std::uint32_t eval = 0;  // index in the suite
  std::uint32_t row = 0;   // in the eval's cases
  std::uint32_t repeat = 0;
  std::uint32_t ordinal = 0;  // among equal requests of the run
};

struct PlanOptions {
  std::optional<std::string> system_prompt;  // these three override the suite
  std::optional<std::int64_t> threads, repeat;
  std::int64_t default_threads = suite::kDefaultThreads;  // if neither says
  FillLimits limits;
  std::vector<std::string>
      only;  // names (globs), `tag:NAME`, or one case: `capitals[2]`; empty: all
};

class Plan {
 public:
  // Reports a selection that matches nothing, and templates that would become too large, before it
  // fills any of them.
  static std::optional<Plan> make(std::shared_ptr<const suite::Suite> suite, Filler filler,
                                  const PlanOptions& options, base::Diagnostics& out);

  const suite::Suite& suite() const { return *suite_; }
  const Filler& filler() const { return filler_; }
  const FillLimits& limits() const { return limits_; }
  const std::string& system_prompt() const { return system_prompt_; }
  std::size_t threads() const { return threads_; }
  const std::vector<PlannedSample>& samples() const { return samples_; }
  const std::string& hash() const { return hash_; }       // of all requests, without secrets
  const Redactor& redactor() const { return redactor_; }  // for the suite's secrets

  model::Request request(const PlannedSample& sample) const;
  // The checks of a level: the eval's own, or a follow-up's.
  std::vector<check::Check> checks(const PlannedSample& sample, const check::Checks& level) const;
  std::string fill(const PlannedSample& sample, std::string_view text) const;
  std::string shown_name(const PlannedSample& sample) const;  // `capitals[2]`

 private:
  Plan() = default;
  bool add_samples(const PlanOptions& options);
  bool is_small_enough(const PlanOptions& options, base::Diagnostics& out) const;
  void number_equal_requests();
  CaseRow case_row(const PlannedSample& sample) const;

  std::shared_ptr<const suite::Suite> suite_;
  Filler filler_;
  FillLimits limits_;
  Redactor redactor_;
  std::string system_prompt_, hash_;
  std::size_t threads_ = 1;
  std::vector<PlannedSample> samples_;
};

// Reports a text outside of evals that would be too large after filling.
bool check_filled(std::string_view name, std::string_view text, const Filler& filler,
                  const FillLimits& limits, base::Diagnostics& out);

// Reports variables and secrets without a value, at their place in the suite.
void report_unknown_names(const std::vector<NamedUse>& missing, const base::SourcePtr& source,
                          base::Diagnostics& out);

}  // namespace vibe::run
