# Run as a script: -DGIT= -DSOURCE= -DVERSION= -DOUTPUT=
set(commit "unknown")
set(ENV{GIT_OPTIONAL_LOCKS} 0)

function(git result)
  execute_process(COMMAND "${GIT}" ${ARGN} WORKING_DIRECTORY "${SOURCE}" RESULT_VARIABLE status
                  OUTPUT_VARIABLE text ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    set(text "failed")
  endif()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

if(GIT)
  # A source archive unpacked inside another project's repository has no commit.
  git(prefix rev-parse --show-prefix)
  git(hash rev-parse --short=12 --verify HEAD)
  if(prefix STREQUAL "" AND hash MATCHES "^[0-9a-f]+$")
    git(changes status --porcelain --untracked-files=no)
    set(commit "${hash}")
    if(NOT changes STREQUAL "")
      string(APPEND commit "-dirty")
    endif()
  endif()
endif()

set(text "#pragma once\n\n#define VIBE_VERSION \"${VERSION}\"\n#define VIBE_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" old)
endif()
if(NOT text STREQUAL old)
  file(WRITE "${OUTPUT}" "${text}")
endif()
