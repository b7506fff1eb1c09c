// Accounts: what runs of a server cost their organisations. A charge is kept before its run is
// finished, and again as the run continues, so that none is lost or counted twice whenever a
// process ends. Belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/diagnostic.h"

namespace vibe::store {

// A run, each time it was queued: what was paid for it since then is one charge.
struct Charged {
  std::string_view run;
  std::int64_t queued_after = 0;  // Claim::queued_after
};

// US dollars.
struct Balance {
  std::optional<double> credits;  // in all; none: unlimited
  double spent = 0;
};

class Accounts {
 public:
  virtual ~Accounts() = default;
  // `dollars` were paid for it in all: what was not charged before is added to what the
  // organisation spent, and returned; less than before changes nothing. Code::not_found
  virtual base::Result<double> charge(std::string_view organisation, const Charged& what,
                                      double dollars) = 0;
  virtual base::Result<Balance> balance(std::string_view organisation) = 0;  // Code::not_found
};

}  // namespace vibe::store
