// Environment: what other processes can see of this one. The system shows a process's initial
// environment to every process of the same user (`/proc/PID/environ`), even after variables are
// unset. Call these at program start: no other thread may use the environment meanwhile.
#pragma once

namespace vibe::base {

// Removes a variable as if it had never been set: for this process, for programs it starts, and in
// `/proc`.
void forget_variable(const char* name);

// From here on no process of the same user can read this process's memory or environment. It writes
// no core files, and only root can attach a debugger.
void forbid_tracing();

}  // namespace vibe::base
