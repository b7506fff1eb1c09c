// Credits: what the runs of a server's queue cost their organisations, and what those may still
// spend. Charges are kept before a run is finished, and again as it goes on, so that none is lost
// or counted twice whenever the process ends. Safe from any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/team/tenants.h"
#include "base/diagnostic.h"
#include "run/purse.h"
#include "score/run.h"

namespace vibe::app {

class Credits {
 public:
  explicit Credits(Tenants& tenants) : tenants_(tenants) {}

  // `dollars` were paid for it in all, from the purse.
  base::Result<void> charge(const std::string& organisation, const store::Charged& what,
                            double dollars);
  // The same, by earlier workers, which may have had no time to charge for it.
  base::Result<void> charge_earlier(const std::string& organisation, const store::Charged& what,
                                    double dollars);
  // What the runs at work of an organisation share.
  base::Result<std::shared_ptr<run::Purse>> purse(const std::string& organisation);
  // Its limits may have changed: they hold for the runs at work, too.
  void note(const store::Organisation& organisation);

 private:
  // What was added to what it had spent.
  base::Result<double> add(const std::string& organisation, const store::Charged& what,
                           double dollars);

  Tenants& tenants_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<run::Purse>> purses_;  // by organisation
};

// US dollars that were paid for a claimed run since it was queued, by whichever worker. `all` are
// its results.
base::Result<double> paid_since_queued(const store::Claim& claim,
                                       const std::vector<score::Result>& all, store::Feed& feed);

}  // namespace vibe::app
