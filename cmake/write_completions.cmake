# Run as a script: -DVIBE= -DOUTPUT= writes OUTPUT/{bash,zsh,fish}. If the program
# has no completion for a shell, it writes no file, and warns.
file(REMOVE_RECURSE "${OUTPUT}")
foreach(shell IN ITEMS bash zsh fish)
  execute_process(COMMAND "${VIBE}" completion ${shell} RESULT_VARIABLE status
                  OUTPUT_VARIABLE text ERROR_QUIET)
  if(status STREQUAL "0" AND NOT text STREQUAL "")
    file(WRITE "${OUTPUT}/${shell}" "${text}")
  else()
    message(WARNING "`vibe completion ${shell}` failed; that completion is not installed")
  endif()
endforeach()
file(WRITE "${OUTPUT}/done" "")
