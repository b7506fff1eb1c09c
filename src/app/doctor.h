// Doctor: a look at the set-up: configuration, store, server, keys, endpoints. Sends a small
// request to each endpoint that could be asked, and nothing that costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "config/config.h"

namespace vibe::app {

struct Examined {
  enum class State : std::uint8_t {
    good,
    absent,  // not set up, which may be as it should be
    bad,
  };
  State state = State::good;
  std::string what, finding;
  std::string advice;  // of what is bad or absent; may be empty
};

struct Examination {
  std::vector<Examined> all;
  base::Diagnostics problems;  // of configuration and store, with their places

  bool healthy() const;
};

struct DoctorOptions {
  bool offline = false;  // leave the endpoints alone
  double timeout = 5;    // seconds for an endpoint
  config::Overrides overrides = {};
};

Examination examine(const DoctorOptions& options);

}  // namespace vibe::app
