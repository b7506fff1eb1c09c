// Claude Code: transcripts (`~/.claude/projects/…/SESSION.jsonl`), and the output of `claude -p
// --output-format stream-json`, which has the same messages.
#pragma once

#include "trace/format.h"

namespace vibe::trace {

// Text that the program inserted as a user message, not a question of the user.
bool is_made_up_prompt(std::string_view text);

bool is_claude(const Shape& shape);
bool is_claude_stream(const Shape& shape);
void read_claude(base::Input input, Reading& reading);
std::span<const Field> claude_fields();
std::span<const Field> claude_stream_fields();

}  // namespace vibe::trace
