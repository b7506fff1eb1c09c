// Any bytes as settings of Claude Code: never a crash, diagnostics point into the text. If our
// hooks can be added, the text stays JSON and is otherwise unchanged, has them once (none at an
// event that a user's command already collects), and they can be removed again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "app/agents/hook_settings.h"
#include "base/json_reader.h"
#include "base/text.h"

namespace {

using namespace vibe;

void require(bool holds) {
  if (!holds) std::abort();
}

void look_at(const base::Diagnostics& found) {
  require(found.failed());
  for (const auto& one : found.all()) {
    require(one.source != nullptr && !one.message.empty());
    require(one.span.begin <= one.span.end);
    require(!base::render(one).empty());
  }
}

// All members except `hooks`, in order.
std::string others(std::string_view text) {
  const auto value = base::read_json_document(text);
  require(value.has_value() && value->root.object() != nullptr);
  std::string out;
  for (const auto& [key, member] : *value->root.object())
    if (key != "hooks") out += key + "=" + base::to_text(member) + "\n";
  return out;
}

app::EditedSettings edited(base::Result<app::EditedSettings> result) {
  require(result.has_value());
  return *std::move(result);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string command = "'/a \"b\"/vibe' fitness collect";
  const auto source = [](const std::string& of) { return base::make_source("settings.json", of); };
  const auto added = app::add_hooks(source(text), command);
  const auto removed = app::remove_hooks(source(text), {});
  require(added.has_value() == removed.has_value());
  if (!added) {
    look_at(added.error());
    look_at(removed.error());
    return 0;
  }
  const std::string before = others(base::trim(text).empty() ? "{}" : text);
  require(others(added->text) == before);
  const auto again = edited(app::add_hooks(source(added->text), command));
  require(again.events == 0 && again.text == added->text);
  const auto without = edited(app::remove_hooks(source(added->text), {}));
  require(without.events >= added->events && others(without.text) == before);
  require(edited(app::remove_hooks(source(without.text), {})).events == 0);
  return 0;
}
