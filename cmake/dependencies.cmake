# The libraries. libyaml, RE2, utf8proc, SQLite, libsodium, zlib, zstd and md4c are linked statically if the
# archive exists: every shared library costs start-up time.
set(missing_hint "`scripts/setup.sh build` installs what the build needs")

# vibe_find_package(NAME): find_package() that says what to do.
macro(vibe_find_package package)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found; ${missing_hint}")
  endif()
endmacro()

# vibe_find_library(NAME HEADER LIBRARY) makes the target vibe::NAME.
function(vibe_find_library name header library)
  find_path(VIBE_${name}_INCLUDE ${header})
  find_library(VIBE_${name}_LIBRARY NAMES lib${library}.a ${library})
  mark_as_advanced(VIBE_${name}_INCLUDE VIBE_${name}_LIBRARY)
  if(NOT VIBE_${name}_INCLUDE OR NOT VIBE_${name}_LIBRARY)
    message(FATAL_ERROR "${name} was not found; ${missing_hint}")
  endif()
  add_library(vibe::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(vibe::${name} PROPERTIES
    IMPORTED_LOCATION "${VIBE_${name}_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${VIBE_${name}_INCLUDE}"
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endfunction()

# What vibe_core needs.
vibe_find_package(fmt)
vibe_find_package(tl-expected)
find_package(Threads REQUIRED)
vibe_find_library(utf8proc utf8proc.h utf8proc)
if(VIBE_CORE_ONLY)
  return()
endif()

vibe_find_package(simdjson)
vibe_find_library(yaml yaml.h yaml)
vibe_find_library(re2 re2/re2.h re2)
vibe_find_library(sqlite3 sqlite3.h sqlite3)
vibe_find_library(sodium sodium.h sodium)
vibe_find_library(zlib zlib.h z)
vibe_find_library(zstd zstd.h zstd)
vibe_find_library(md4c md4c.h md4c)

# Only its headers: the library is loaded when the first request is sent.
find_path(VIBE_CURL_INCLUDE curl/curl.h)
mark_as_advanced(VIBE_CURL_INCLUDE)
if(NOT VIBE_CURL_INCLUDE)
  message(FATAL_ERROR "curl's headers were not found; ${missing_hint}")
endif()
add_library(vibe::curl_headers INTERFACE IMPORTED GLOBAL)
target_include_directories(vibe::curl_headers INTERFACE "${VIBE_CURL_INCLUDE}")
target_link_libraries(vibe::curl_headers INTERFACE ${CMAKE_DL_LIBS})
# Only its headers: the library is loaded when a server starts.
find_path(VIBE_MICROHTTPD_INCLUDE microhttpd.h)
mark_as_advanced(VIBE_MICROHTTPD_INCLUDE)
if(NOT VIBE_MICROHTTPD_INCLUDE)
  message(FATAL_ERROR "libmicrohttpd's headers were not found; ${missing_hint}")
endif()
add_library(vibe::microhttpd_headers INTERFACE IMPORTED GLOBAL)
target_include_directories(vibe::microhttpd_headers INTERFACE "${VIBE_MICROHTTPD_INCLUDE}")
target_link_libraries(vibe::microhttpd_headers INTERFACE ${CMAKE_DL_LIBS})
target_link_libraries(vibe::sqlite3 INTERFACE m ${CMAKE_DL_LIBS})
