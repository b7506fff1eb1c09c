// Hook logs: what hooks of an agent wrote, one event after the other, of any number of sessions.
// These logs can be very large: lines are parsed by several threads, in pieces of the file, and
// folded in their order, so that the result does not depend on the threads.
//
// There are six ways to make events of lines, the fastest first. Each leaves to the next what it
// cannot read; most lines of most logs go the first:
//   1. HookParser::parse_call_line(): a line about one call that is written as the line before it
//      (HookLayout), where no calls are kept. Only the values are looked at.
//   2. HookParser::parse(), with marks: any event that is written as one of the last few layouts.
//   3. The same, parsed: JSON of any shape. Its layout is learned for the lines that follow.
//   4. The same, of a line that mend_json() made sound.
//   5. HookParser::parse_copy(): each of the objects that Values finds in a line.
//   6. The same from there on to the end of the log, where objects are not one to a line.
// The first two want bytes that are UTF-8, whose quotes TextMarks found beforehand.
//
// All ways agree: of a line that a faster one reads, a slower one makes the same event. Tests hold
// them to that: Hook.IsReadAlikeTheFastWay, Hook.IsReadAlikeByAnyNumberOfThreads and
// Hook.GoesOnWhereObjectsAreNotOneToALine, and fuzz_log_hook for any bytes.
#pragma once

#include "trace/format.h"

namespace vibe::trace {

bool is_hook(const Shape& shape);
void read_hook(base::Input input, Reading& reading);
std::span<const Field> hook_fields();

}  // namespace vibe::trace
