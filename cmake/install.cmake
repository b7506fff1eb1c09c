# What `make install` and the packages contain.
install(TARGETS vibe RUNTIME)
install(FILES LICENSE CHANGELOG.md README.md data/encoder.NOTICE data/grammars.LICENSE data/prices.LICENSE data/vocabulary.LICENSE
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs examples DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# The program writes its own shell completions.
set(completions "${PROJECT_BINARY_DIR}/completions")
if(NOT CMAKE_CROSSCOMPILING)
  add_custom_command(OUTPUT "${completions}/done"
    COMMAND "${CMAKE_COMMAND}" "-DVIBE=$<TARGET_FILE:vibe>" "-DOUTPUT=${completions}"
            -P "${PROJECT_SOURCE_DIR}/cmake/write_completions.cmake"
    DEPENDS vibe cmake/write_completions.cmake
    COMMENT "Writing shell completions"
    VERBATIM)
  add_custom_target(vibe_completions ALL DEPENDS "${completions}/done")
endif()
install(FILES "${completions}/bash" RENAME vibe OPTIONAL
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${completions}/zsh" RENAME _vibe OPTIONAL
        DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
install(FILES "${completions}/fish" RENAME vibe.fish OPTIONAL
        DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME vibecheck)
set(CPACK_PACKAGE_VENDOR "The vibecheck authors")
set(CPACK_PACKAGE_CONTACT "The vibecheck authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
"Runs suites of evaluations against language models and agents, keeps every result,
and turns them into one explained score by a formula that the suite states.")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libcurl4, libmicrohttpd12, ca-certificates")  # loaded when a request is sent, or a server starts
include(CPack)
