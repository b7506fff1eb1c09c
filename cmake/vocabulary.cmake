# The tokens of o200k_base: packed by a build tool, embedded as src/tokens/vocabulary.h describes it.
function(vibe_add_vocabulary target)
  set(data "${PROJECT_SOURCE_DIR}/node_modules/gpt-tokenizer/data/o200k_base.tiktoken")
  set(packed "${PROJECT_BINARY_DIR}/generated/vocabulary.bin")
  if(NOT EXISTS "${data}")
    message(FATAL_ERROR "${data} was not found; ${missing_hint}")
  endif()

  # No sanitizers and no coverage: it runs once, and the tests check its output.
  add_executable(pack_vocabulary "${PROJECT_SOURCE_DIR}/cmake/pack_vocabulary.cpp")
  target_include_directories(pack_vocabulary PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(pack_vocabulary PRIVATE vibe::utf8proc)
  set_target_properties(pack_vocabulary PROPERTIES COMPILE_OPTIONS "-O2;-Wall;-Wextra" LINK_OPTIONS "")

  add_custom_command(OUTPUT "${packed}"
    COMMAND pack_vocabulary "${data}" "${packed}"
    DEPENDS pack_vocabulary "${data}"
    COMMENT "Packing the vocabulary of tokens"
    VERBATIM)
  vibe_embed(${target} "${packed}" kVocabulary)
endfunction()
