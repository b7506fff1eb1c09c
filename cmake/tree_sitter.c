// The tree-sitter runtime, patched so that it can parse untrusted code.
//
// Scanners get a larger buffer for their state: those of Python and YAML write a few bytes beyond the 1024
// that they should use if code is nested some hundreds deep. The runtime also records where the parser first
// met an error, and how often it skipped something since: that takes quadratic time, so the caller must be
// able to stop it.
#include <tree_sitter/api.h>

#include "parser.h"
#undef TREE_SITTER_SERIALIZATION_BUFFER_SIZE
#define TREE_SITTER_SERIALIZATION_BUFFER_SIZE 1280

#include "stack.h"

// src/fitness/syntax.cpp has the same declaration. One per thread; the caller sets it to zero.
typedef struct {
  unsigned long skipped;
  bool met;      // an error
  TSPoint place; // where the first one was met
} Trouble;
static _Thread_local Trouble trouble;
Trouble *vibe_parser_trouble(void) { return &trouble; }

static StackVersion meet_error(const Stack *stack, StackVersion version) {
  if (!trouble.met) trouble.place = ts_stack_position(stack, version).extent;
  trouble.met = true;
  return version;
}

#include "alloc.c"
#include "get_changed_ranges.c"
#include "language.c"
#include "lexer.c"
#include "node.c"

#define ts_stack_get_summary(stack, version) (++trouble.skipped, ts_stack_get_summary(stack, version))
#define ts_stack_resume(stack, version) ts_stack_resume(stack, meet_error(stack, version))
#include "parser.c"
#undef ts_stack_get_summary
#undef ts_stack_resume

#include "query.c"
#include "stack.c"
#include "subtree.c"
#include "tree.c"
#include "tree_cursor.c"
#include "wasm_store.c"
