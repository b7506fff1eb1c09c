// Credits: what queued runs cost their organisations, and what these may still spend. Charges are
// stored before a run is finished, and again while it continues, so that none is lost or counted
// twice if the process ends. Safe from any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/team/tenants.h"
#include "base/diagnostic.h"
#include "run/spending_limit.h"
#include "score/run.h"

namespace vibe::app {

class Credits {
 public:
  explicit Credits(Tenants& tenants) : tenants_(tenants) {}

  // `dollars`: the total paid for it, within the spending limit.
  base::Result<void> charge(const std::string& organisation, const store::Charged& what,
                            double dollars);
  // The same for earlier workers, which may not have charged for it.
  base::Result<void> charge_earlier(const std::string& organisation, const store::Charged& what,
                                    double dollars);
  // The limit that an organisation's running runs share.
  base::Result<std::shared_ptr<run::SpendingLimit>> spending_limit(const std::string& organisation);
  // Its limits may have changed: the new ones also apply to running runs.
  void note(const store::Organisation& organisation);

 private:
  // Returns the increase of what it had spent.
  base::Result<double> add(const std::string& organisation, const store::Charged& what,
                           double dollars);

  Tenants& tenants_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<run::SpendingLimit>> limits_;  // by organisation
};

// US dollars paid for a claimed run since it was queued, by any worker. `all` are its results.
base::Result<double> paid_since_queued(const store::Claim& claim,
                                       const std::vector<score::Result>& all, store::Feed& feed);

}  // namespace vibe::app
