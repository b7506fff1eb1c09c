# vibe_embed(TARGET FILE SYMBOL): puts the bytes of FILE into TARGET's read-only data. In C++ they
# are `extern "C" const char SYMBOL[], SYMBOL_end[];`, followed by a zero byte. Costs nothing at
# start: pages are loaded when they are first read.
function(vibe_embed target file symbol)
  set(VIBE_EMBED_SYMBOL "${symbol}")
  get_filename_component(VIBE_EMBED_FILE "${file}" ABSOLUTE BASE_DIR "${PROJECT_SOURCE_DIR}")
  set(source "${PROJECT_BINARY_DIR}/embedded/${symbol}.cpp")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/embed.cpp.in" "${source}" @ONLY)
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${VIBE_EMBED_FILE}"
                              SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE "${source}")
endfunction()
