# vibe_version.h: VIBE_VERSION and VIBE_COMMIT, only for src/cli/version.cpp.
# Checked in every build, written only when it changes.
function(vibe_add_version_header target)
  find_package(Git QUIET)
  set(folder "${PROJECT_BINARY_DIR}/generated")
  add_custom_target(vibe_version
    COMMAND "${CMAKE_COMMAND}" "-DGIT=${GIT_EXECUTABLE}" "-DSOURCE=${PROJECT_SOURCE_DIR}"
            "-DVERSION=${PROJECT_VERSION}" "-DOUTPUT=${folder}/vibe_version.h"
            -P "${PROJECT_SOURCE_DIR}/cmake/write_version.cmake"
    BYPRODUCTS "${folder}/vibe_version.h"
    COMMENT "Looking at the version"
    VERBATIM)
  add_dependencies(${target} vibe_version)
  set_source_files_properties("${PROJECT_SOURCE_DIR}/src/cli/version.cpp"
                              PROPERTIES INCLUDE_DIRECTORIES "${folder}")
endfunction()
