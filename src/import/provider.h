// Providers of promptfoo as models of ours, one row for each prefix. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vibe::import {

struct ProviderKind {
  std::string_view prefix;   // `openai:chat:`; without the colon at its end, the whole of a part
  std::string_view becomes;  // `openai/`; empty: it is left out
  std::string_view remark;
  std::string_view names = {};  // how the name of a model begins there, if it is known
};
std::span<const ProviderKind> provider_kinds();

struct Model {
  std::string name;    // empty: it cannot be carried over
  std::string remark;  // what is different, or why not
};
Model convert_provider(std::string_view id);

}  // namespace vibe::import
