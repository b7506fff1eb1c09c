// Doctor: checks the setup: configuration, store, server, keys, endpoints. Sends a small request
// to each usable endpoint, and none that costs money.
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
    absent,  // not set up, which may be intended
    bad,
  };
  State state = State::good;
  std::string what, finding;
  std::string advice;  // for bad or absent items; may be empty
};

struct Examination {
  std::vector<Examined> all;
  base::Diagnostics problems;  // in configuration and store, with positions

  bool healthy() const;
};

struct DoctorOptions {
  bool offline = false;  // send nothing to endpoints
  double timeout = 5;    // seconds per endpoint
  config::Overrides overrides = {};
};

Examination examine(const DoctorOptions& options);

}  // namespace vibe::app
