// Gemini CLI: its record of a chat (`~/.gemini/tmp/…/chats/session-*.json`, one document, or
// `.jsonl` since 2026), and the output of `gemini -p --output-format stream-json`.
#pragma once

#include "trace/format.h"

namespace vibe::trace {

bool is_gemini(const Shape& shape);
void read_gemini(base::Input input, Reading& reading);
std::span<const Field> gemini_fields();

}  // namespace vibe::trace
