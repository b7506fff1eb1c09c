// The runtime of tree-sitter, with more room for what scanners keep: those of Python and YAML write
// a few bytes more than the 1024 that they know of when code is nested some hundreds deep.
#include <tree_sitter/api.h>

#include "parser.h"

#undef TREE_SITTER_SERIALIZATION_BUFFER_SIZE
#define TREE_SITTER_SERIALIZATION_BUFFER_SIZE 1280

#include "lib.c"
