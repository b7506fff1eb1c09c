// Hook logs: events written by an agent's hooks, from any number of sessions. These logs can be
// very large: several threads parse pieces of the file, and the events are folded in order, so that
// the result does not depend on the threads.
//
// There are six ways to turn lines into events, the fastest first. Each leaves what it cannot read
// to the next; most lines take the first:
//   1. HookParser::parse_call_line(): a line about one call with the same layout as the line before
//      (HookLayout), if calls are not kept. Only the values are read.
//   2. HookParser::parse(), with marks: any event that has one of the last few layouts.
//   3. The same, parsed: JSON of any shape. Its layout is learned for later lines.
//   4. The same, for a line that repair_json() repaired.
//   5. HookParser::parse_copy(): each of the objects that Values finds in a line.
//   6. The same for the rest of the log, once a line is not one object.
// The first two need UTF-8 bytes whose quotes TextMarks has found.
//
// All ways agree: a slower way makes the same event from any line that a faster one can read. Tests
// for that: Hook.IsReadAlikeTheFastWay, Hook.IsReadAlikeByAnyNumberOfThreads and
// Hook.GoesOnWhereObjectsAreNotOneToALine, and fuzz_log_hook for any bytes.
#pragma once

#include "trace/format.h"

namespace vibe::trace {

bool is_hook(const Shape& shape);
void read_hook(base::Input input, Reading& reading);
std::span<const Field> hook_fields();

}  // namespace vibe::trace
