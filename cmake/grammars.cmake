# vibe::grammars: tree-sitter and the grammars that parse code, as C sources from npm packages. They are
# tables: none of them run at start, and a page is loaded when its language is parsed.
function(vibe_add_grammars)
  set(packages "${PROJECT_SOURCE_DIR}/node_modules")
  set(runtime "${packages}/tree-sitter/vendor/tree-sitter/lib")
  set(folders
    tree-sitter-bash/src tree-sitter-c/src tree-sitter-cpp/src tree-sitter-css/src tree-sitter-go/src
    tree-sitter-html/src tree-sitter-java/src tree-sitter-javascript/src tree-sitter-json/src
    tree-sitter-python/src tree-sitter-rust/src tree-sitter-typescript/tsx/src
    tree-sitter-typescript/typescript/src @derekstride/tree-sitter-sql/src
    @tree-sitter-grammars/tree-sitter-yaml/src)
  set(sources "${PROJECT_SOURCE_DIR}/cmake/tree_sitter.c")
  set_source_files_properties(${sources} PROPERTIES INCLUDE_DIRECTORIES "${runtime}/src")
  foreach(folder IN LISTS folders)
    set(of_grammar "${packages}/${folder}/parser.c")
    if(folder MATCHES "tree-sitter-sql")  # sql_scanner.c includes the grammar's scanner
      list(APPEND of_grammar "${PROJECT_SOURCE_DIR}/cmake/sql_scanner.c")
    elseif(EXISTS "${packages}/${folder}/scanner.c")
      list(APPEND of_grammar "${packages}/${folder}/scanner.c")
    endif()
    set_source_files_properties(${of_grammar} PROPERTIES INCLUDE_DIRECTORIES "${packages}/${folder}")
    list(APPEND sources ${of_grammar})
  endforeach()
  foreach(source IN LISTS sources)
    if(NOT EXISTS "${source}")
      message(FATAL_ERROR "${source} was not found; ${missing_hint}")
    endif()
  endforeach()

  # Third-party code, optimised in every build: without our warnings, and without sanitizers and coverage,
  # with which a text of some KB would take a second.
  add_library(vibe_grammars STATIC ${sources})
  add_library(vibe::grammars ALIAS vibe_grammars)
  set_target_properties(vibe_grammars PROPERTIES COMPILE_OPTIONS "-O2;-g0;-DNDEBUG;-w" C_STANDARD 11 C_EXTENSIONS ON)
  target_include_directories(vibe_grammars PRIVATE "${runtime}/include")
  # Only one file uses them; all others compile without them.
  set_source_files_properties("${PROJECT_SOURCE_DIR}/src/fitness/syntax.cpp"
                              PROPERTIES INCLUDE_DIRECTORIES "${runtime}/include")
  set(VIBE_TREE_SITTER_INCLUDE "${runtime}/include" PARENT_SCOPE)
endfunction()
