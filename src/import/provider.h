// Providers of promptfoo as models of ours, one row for each prefix.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vibe::import {

struct ProviderKind {
  std::string_view prefix;   // `openai:chat:`
  std::string_view becomes;  // `openai/`; empty: it is left out
  std::string_view remark;
};
std::span<const ProviderKind> provider_kinds();

struct Model {
  std::string name;    // empty: it cannot be carried over
  std::string remark;  // what is different, or why not
};
Model convert_provider(std::string_view id);

}  // namespace vibe::import
