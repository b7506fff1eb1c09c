# The language standard, the warnings and the flags that all targets of the project share.
include(CheckLinkerFlag)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND PROJECT_IS_TOP_LEVEL)
  # The tests start thousands of sanitized processes; relocating one takes longer than most of them run.
  add_compile_options(-fno-pie)
  add_link_options(-no-pie)
else()
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -D_GLIBCXX_ASSERTIONS")  # line numbers in stack traces; -g takes half as long again
if(VIBE_SANITIZE AND NOT VIBE_FUZZ_COVERAGE)
  string(REPLACE -O1 -O0 CMAKE_CXX_FLAGS_DEBUG "${CMAKE_CXX_FLAGS_DEBUG}")  # compiles in a third of the time
endif()

# A fused multiply-add rounds once instead of twice: without this, a score could
# differ between machines in its last bit.
add_compile_options(-ffp-contract=off)

# For loops over columns: nothing reads errno or the floating-point flags, so the compiler may use vectors
# even if a lane's result is not needed. No result changes.
set(VIBE_LOOP_OPTIONS $<$<CONFIG:Release>:-O3> -fno-math-errno -fno-trapping-math)
set_source_files_properties(src/formula/batch.cpp src/embed/encoder.cpp src/statistics/draws.cpp PROPERTIES
                            COMPILE_OPTIONS "${VIBE_LOOP_OPTIONS}" SKIP_PRECOMPILE_HEADERS ON)
# Optimised in every build and without sanitizers, with which one text would take seconds.
set_source_files_properties(src/embed/product.cpp PROPERTIES
                            COMPILE_OPTIONS "-O3;-fno-sanitize=all" SKIP_PRECOMPILE_HEADERS ON)

# The compilers that the project is tested with; others may warn about other things.
set(is_known_compiler OFF)
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.") OR
   (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION MATCHES "^19\\."))
  set(is_known_compiler ${PROJECT_IS_TOP_LEVEL})
endif()
option(VIBE_WERROR "Warnings are errors" ${is_known_compiler})

add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor
                    -Werror=switch)
if(VIBE_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)  # false for std::string operator+, gcc bug 105651
  add_compile_options(-Wno-maybe-uninitialized)  # false for std::optional and std::variant
endif()
if(VIBE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ mistakes a .cpp file in a unity build for a header.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()

if(VIBE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  if(NOT VIBE_FUZZ_COVERAGE)
    # These check every access: half of the code, and a fifth of the compile time. The address sanitizer
    # also reports null pointers; the fuzz targets keep both checks.
    add_compile_options(-fno-sanitize=null,alignment)
  endif()
  # By default this depends on the optimisation level, which differs between files here: simdjson's types
  # would then differ as well.
  add_compile_definitions(SIMDJSON_DEVELOPMENT_CHECKS=1)
endif()
if(VIBE_FUZZ AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "the fuzz targets need clang: use `cmake --preset dev` or `fuzz`")
endif()
if(VIBE_FUZZ_COVERAGE)
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()
if(VIBE_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()

find_program(VIBE_CCACHE ccache)
if(VIBE_CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${VIBE_CCACHE}")
endif()
if(VIBE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${VIBE_CCACHE}")
  if(VIBE_PCH)  # else ccache does not cache files with precompiled headers
    list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
         CCACHE_SLOPPINESS=pch_defines,time_macros)
    add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
                        "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endif()

find_program(VIBE_MOLD mold)
if(VIBE_MOLD)
  check_linker_flag(CXX -fuse-ld=mold VIBE_LINKS_WITH_MOLD)
  if(VIBE_LINKS_WITH_MOLD)
    add_link_options(-fuse-ld=mold)
  endif()
endif()
add_link_options(-Wl,--as-needed)

# vibe_batch(TARGET): compiles the files of a folder together, a few at a time. That takes a third of the
# time, since headers take most of it. So private names must differ within a folder. The presets `quick` and
# `tidy` compile each file separately; `tidy`, without precompiled headers, finds missing includes.
function(vibe_batch target)
  if(NOT VIBE_UNITY)
    return()
  endif()
  set(most 24)  # files
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_source_file_property(options "${source}" COMPILE_OPTIONS)
    get_source_file_property(includes "${source}" INCLUDE_DIRECTORIES)
    if(options OR includes OR NOT source MATCHES "\\.cpp$")
      continue()  # has its own options, so it is compiled separately
    endif()
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    if(NOT DEFINED count_${folder})
      set(count_${folder} 0)
    endif()
    math(EXPR batch "${count_${folder}} / ${most}")
    math(EXPR count_${folder} "${count_${folder}} + 1")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}_${batch}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# vibe_precompile(TARGET [HEADER...]): precompiles what nearly every file includes, and the given headers.
# The tidy build does not use it, and so finds missing includes.
function(vibe_precompile target)
  if(VIBE_PCH)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <cstdint> <functional> <map> <memory> <optional> <span> <string> <string_view>
      <unordered_map> <utility> <variant> <vector> <fmt/format.h> <tl/expected.hpp> ${ARGN})
  endif()
endfunction()

# vibe_reuse_precompiled(TARGET OTHER): TARGET uses the headers that vibe_precompile(OTHER) made. It must be
# compiled with the same options and at least the same definitions.
function(vibe_reuse_precompiled target other)
  if(VIBE_PCH)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()

# vibe_share_precompiled(TARGET): lets a small program use the library's precompiled headers instead of its
# own. Both compilers require the same position independence, and g++ all definitions, which programs lack for
# vibecheck.
function(vibe_share_precompiled target)
  if(NOT CMAKE_POSITION_INDEPENDENT_CODE AND
     (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR NOT VIBE_PRECOMPILED STREQUAL "vibecheck"))
    vibe_reuse_precompiled(${target} ${VIBE_PRECOMPILED})
  endif()
endfunction()
