# Lets the program write its manual pages and completions: PROGRAM (with EMULATOR, if any), MANUAL and COMPLETIONS are
# paths; WRITTEN are pages that are there already; GZIP is true where pages are to be compressed, as Debian has them.
file(REMOVE_RECURSE ${MANUAL} ${COMPLETIONS})
file(MAKE_DIRECTORY ${MANUAL}/pages ${COMPLETIONS})
execute_process(COMMAND ${EMULATOR} ${PROGRAM} help --manual ${MANUAL}/pages OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(COPY ${WRITTEN} DESTINATION ${MANUAL}/pages)
foreach(shell IN ITEMS bash zsh fish)
  execute_process(COMMAND ${EMULATOR} ${PROGRAM} completion ${shell} OUTPUT_FILE ${COMPLETIONS}/${shell}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
if(GZIP)
  file(GLOB pages ${MANUAL}/pages/*.1)
  execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
file(TOUCH ${MANUAL}/made)
