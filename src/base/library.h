// Library: a shared library that is loaded when it is first needed, so that commands that do not
// need it start without it. It is never unloaded: some libraries leave handlers that run when the
// process exits. Safe from any thread.
#pragma once

#include <string>

#include <dlfcn.h>

namespace vibe::base {

template <class Function>
bool find_symbol(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, name));
  return out != nullptr;
}

// `find(library)` looks up the functions with find_symbol(), and returns false if one is missing.
// Returns empty, or why the library cannot be used.
template <class Find>
std::string load_library(const char* name, Find find) {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr && find(library)) return {};
  const char* words = dlerror();  // NOLINT(concurrency-mt-unsafe): per thread in glibc
  return words != nullptr ? words : "it lacks a function";
}

}  // namespace vibe::base
