// promptfoo providers as vibe models, one row per prefix. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vibe::import {

struct ProviderKind {
  std::string_view prefix;   // `openai:chat:`; without a final colon it must match a whole part
  std::string_view becomes;  // `openai/`; empty: it is left out
  std::string_view remark;
  std::string_view names = {};  // how its model names begin, if known
};
std::span<const ProviderKind> provider_kinds();

struct Model {
  std::string name;    // empty: it cannot be carried over
  std::string remark;  // the difference, or why not
};
Model convert_provider(std::string_view id);

}  // namespace vibe::import
