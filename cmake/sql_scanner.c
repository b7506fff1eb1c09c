// The scanner of the SQL grammar, which leaks some of its memory: whatever it still holds when it is done
// is freed here. A thread has one such scanner at a time.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

typedef union Block {
  struct {
    union Block *before, *next;
  } links;
  max_align_t aligned;
} Block;
static _Thread_local Block *held;

static void *take(size_t size) {
  Block *block = malloc(sizeof(Block) + size);
  if (!block) abort();
  block->links.before = NULL;
  block->links.next = held;
  if (held) held->links.before = block;
  held = block;
  return block + 1;
}

static void give_back(void *memory) {
  if (!memory) return;
  Block *block = (Block *)memory - 1;
  if (block->links.next) block->links.next->links.before = block->links.before;
  if (block->links.before)
    block->links.before->links.next = block->links.next;
  else
    held = block->links.next;
  free(block);
}

#define malloc take
#define free give_back
#define tree_sitter_sql_external_scanner_destroy forgetful_destroy
#include "scanner.c"
#undef tree_sitter_sql_external_scanner_destroy

void tree_sitter_sql_external_scanner_destroy(void *payload) {
  forgetful_destroy(payload);
  while (held) give_back(held + 1);
}
