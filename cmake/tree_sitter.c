// The runtime of tree-sitter, mended for code that nobody has looked at before.
//
// Scanners get more room for what they keep: those of Python and YAML write a few bytes more than the
// 1024 that they know of when code is nested some hundreds deep. And it is told where the parser first
// had no way to go on, and how often it skipped something since: the time that takes grows with the
// square, so that whoever parses must be able to stop it.
#include <tree_sitter/api.h>

#include "parser.h"
#undef TREE_SITTER_SERIALIZATION_BUFFER_SIZE
#define TREE_SITTER_SERIALIZATION_BUFFER_SIZE 1280

#include "stack.h"

// As src/fitness/syntax.cpp declares it. Of the thread; whoever parses sets it to zero.
typedef struct {
  unsigned long skipped;
  bool met;      // an error
  TSPoint place; // where the first was met
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
