// Claude Code: transcripts (`~/.claude/projects/…/SESSION.jsonl`), and what
// `claude -p --output-format stream-json` prints, which holds the same messages.
#pragma once

#include "trace/format.h"

namespace vibe::trace {

bool is_claude(const Shape& shape);
bool is_claude_stream(const Shape& shape);
void read_claude(base::Input input, Reading& reading);
std::span<const Field> claude_fields();
std::span<const Field> claude_stream_fields();

}  // namespace vibe::trace
