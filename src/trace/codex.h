// OpenAI Codex: rollouts (`~/.codex/sessions/…/rollout-*.jsonl`) of all generations, and the output
// of `codex exec --json`.
#pragma once

#include "trace/format.h"

namespace vibe::trace {

bool is_codex(const Shape& shape);
bool is_codex_exec(const Shape& shape);
void read_codex(base::Input input, Reading& reading);
void read_codex_exec(base::Input input, Reading& reading);
std::span<const Field> codex_fields();
std::span<const Field> codex_exec_fields();

}  // namespace vibe::trace
