# What `cmake --install` lays down, in two components: `program` (what a user needs) and `development` (the library, its
# header and what find_package(poet) reads). `cpack -G DEB` makes a package of each. docs/decisions/0032-installing.md.
include(CMakePackageConfigHelpers)

# Debian's zsh looks in a folder of its own, its pages and logs of changes are compressed, and its licences have a form.
set(poet_zsh_folder ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
if(POET_AS_DEBIAN)
  set(poet_zsh_folder ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
endif()

install(TARGETS poet_program poet_check_proof COMPONENT program)
# The second checker of proofs, to be read and run.
install(PROGRAMS tools/check_proof.py DESTINATION ${CMAKE_INSTALL_DATADIR}/poet COMPONENT program)
# The page of `poet serve`, where scripts/build-page has built it.
install(DIRECTORY ${PROJECT_BINARY_DIR}/page/ DESTINATION ${CMAKE_INSTALL_DATADIR}/poet/page COMPONENT program OPTIONAL)
install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/pages/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
foreach(row IN ITEMS "bash|${CMAKE_INSTALL_DATADIR}/bash-completion/completions|poet" "zsh|${poet_zsh_folder}|_poet"
    "fish|${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d|poet.fish")
  string(REPLACE "|" ";" row ${row})
  list(GET row 0 shell)
  list(GET row 1 folder)
  list(GET row 2 name)
  install(FILES ${PROJECT_BINARY_DIR}/completions/${shell} DESTINATION ${folder} RENAME ${name} COMPONENT program)
endforeach()
# Installed, and not enabled. It names the program by the prefix that the build was configured with.
configure_file(packaging/poet.service.in ${PROJECT_BINARY_DIR}/poet.service @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/poet.service DESTINATION lib/systemd/system COMPONENT program)

install(TARGETS poet EXPORT poet ARCHIVE COMPONENT development)
install(FILES interface/include/poet/poet.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/poet COMPONENT development)
set(poet_config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/poet)
install(EXPORT poet FILE poet-targets.cmake NAMESPACE poet:: DESTINATION ${poet_config_folder} COMPONENT development)
configure_package_config_file(cmake/poet-config.cmake.in ${PROJECT_BINARY_DIR}/poet-config.cmake
  INSTALL_DESTINATION ${poet_config_folder} NO_SET_AND_CHECK_MACRO)
# What is written for 1.0 works with 1.5 (docs/stable.md).
write_basic_package_version_file(${PROJECT_BINARY_DIR}/poet-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/poet-config.cmake ${PROJECT_BINARY_DIR}/poet-config-version.cmake
  cmake/linked_dependencies.cmake DESTINATION ${poet_config_folder} COMPONENT development)

if(NOT POET_AS_DEBIAN)
  install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
  install(DIRECTORY examples/cpp DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT development)
endif()
include(cmake/debian.cmake)
