// HookSettings: adds our hooks to the settings of Claude Code, and removes them. Works on the text
// of the file: everything that is not ours stays unchanged, byte for byte. Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/source.h"

namespace vibe::app {

// The events that are collected; tool events need a pattern of tool names.
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
  std::size_t events = 0;  // whose hooks were changed; 0: the text is unchanged
};

// Makes `command` run at each event, replacing an earlier hook of ours; not at events where a
// longer user command already runs the collector. Code::bad_document if the text is not a JSON
// object, or if its `hooks` do not have the structure that Claude Code uses.
base::Result<EditedSettings> add_hooks(const base::SourcePtr& settings, std::string_view command);

// Also removes lists and objects that contain only our hooks. `program`: the path of this program.
base::Result<EditedSettings> remove_hooks(const base::SourcePtr& settings,
                                          std::string_view program);

// Whether a command in the settings is ours, at any path: `…/vibe fitness collect`, or with the
// file name of `program` instead of `vibe`. It may have `--agent NAME` and nothing else: any other
// command belongs to the user.
bool is_our_hook(std::string_view command, std::string_view program = {});

}  // namespace vibe::app
