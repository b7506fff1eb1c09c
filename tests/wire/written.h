// Runs as they are written, and JSON as it is read back.
#pragma once

#include <span>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/json_value.h"
#include "wire/run.h"

namespace vibe::wire {

inline base::JsonValue parsed(const std::string& text) {
  auto value = base::parse_json(text);
  EXPECT_TRUE(value) << value.error();
  return value ? *std::move(value) : base::JsonValue();
}

inline std::string written(const score::Run& run, std::span<const score::Result> results) {
  base::JsonWriter json;
  write_run(json, run, results);
  return json.text();
}

}  // namespace vibe::wire
