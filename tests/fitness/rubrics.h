// Rubrics that tests hold as text.
#pragma once

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "fitness/rubric.h"

namespace vibe::fitness {

// Fails the test where there is an error in it.
inline Rubric rubric_of(const std::string& yaml) {
  base::Diagnostics found;
  auto rubric = read_rubric(base::make_source("rubric.yaml", yaml), found);
  EXPECT_TRUE(rubric && !found.failed()) << base::render(found);
  return rubric ? *std::move(rubric) : default_rubric();
}

}  // namespace vibe::fitness
