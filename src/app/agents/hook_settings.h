// HookSettings: puts our hooks into the settings of Claude Code, and takes them out again. Works on
// the text of the file: what is not ours stays as it is, byte for byte. Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/source.h"

namespace vibe::app {

// The events that are collected; those of tools are asked for by a pattern of their names.
struct HookEventRow {
  std::string_view name;
  bool of_tool;
};
inline constexpr std::array kHookEvents{
    HookEventRow{"PreToolUse", true},
    HookEventRow{"PostToolUse", true},
    HookEventRow{"PostToolUseFailure", true},
    HookEventRow{"UserPromptSubmit", false},
    HookEventRow{"Stop", false},
};

struct EditedSettings {
  std::string text;
  std::size_t events = 0;  // whose hooks were changed; 0: the text is as it was
};

// `command` runs at each event, instead of one that is ours already; not where a longer command of
// the user's runs the collector. A text that is no JSON object,
// or whose `hooks` look otherwise than Claude Code has them, is Code::bad_document.
base::Result<EditedSettings> add_hooks(const base::SourcePtr& settings, std::string_view command);

// Lists and objects that have nothing but ours in them go with it. `program`: this one's path.
base::Result<EditedSettings> remove_hooks(const base::SourcePtr& settings,
                                          std::string_view program);

// Whether a command of the settings is ours, wherever the program lies: `…/vibe fitness collect`,
// or with the file name of `program` in the place of `vibe`; with `--agent NAME` or without, and
// with nothing else, which would be the user's.
bool is_our_hook(std::string_view command, std::string_view program = {});

}  // namespace vibe::app
