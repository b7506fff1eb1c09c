// Accounts: what a server's runs cost their organisations. A charge is stored before its run is
// finished, and again as the run continues, so that none is lost or counted twice if a process
// ends. Belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/diagnostic.h"

namespace vibe::store {

// One queueing of a run: everything paid for the run since then is one charge.
struct Charged {
  std::string_view run;
  std::int64_t queued_after = 0;  // Claim::queued_after
};

// US dollars.
struct Balance {
  std::optional<double> credits;  // total; none: unlimited
  double spent = 0;
};

class Accounts {
 public:
  virtual ~Accounts() = default;
  // `dollars`: the total paid for it. The part that was not charged before is added to what the
  // organisation spent, and returned; a smaller total changes nothing. Code::not_found
  virtual base::Result<double> charge(std::string_view organisation, const Charged& what,
                                      double dollars) = 0;
  virtual base::Result<Balance> balance(std::string_view organisation) = 0;  // Code::not_found
};

}  // namespace vibe::store
