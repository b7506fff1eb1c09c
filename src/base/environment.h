// Environment: what others may see of this process. The system shows the environment that a process
// was started with to every process of the same user (`/proc/PID/environ`), whatever was unset
// since. For the beginning of a program: no other thread may use the environment meanwhile.
#pragma once

namespace vibe::base {

// As if it had never been set: for this process, its programs, and whoever looks at it.
void forget_variable(const char* name);

// From here on no process of the same user can read the memory or the environment of this one. It
// leaves no core files, and only root can attach a debugger to it.
void forbid_tracing();

}  // namespace vibe::base
