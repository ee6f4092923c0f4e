# Texts that become part of the program, so that it needs no file beside it: poet_embed_texts(<source> HEADER <header>
# TEXTS <file>...) has <source> written at build time, which defines the functions that <header> declares, one for each
# file: page/report.js is what report_js() returns.
#
# Run as a script, with -DOUTPUT, -DHEADER and -DTEXTS, it writes the source.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(POET_EMBED_TEXTS ${CMAKE_CURRENT_LIST_FILE})
  function(poet_embed_texts source)
    cmake_parse_arguments(PARSE_ARGV 1 EMBED "" "HEADER" "TEXTS")
    list(TRANSFORM EMBED_TEXTS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    add_custom_command(OUTPUT ${source}
      COMMAND ${CMAKE_COMMAND} -DOUTPUT=${source} -DHEADER=${EMBED_HEADER} "-DTEXTS=${EMBED_TEXTS}" -P ${POET_EMBED_TEXTS}
      DEPENDS ${POET_EMBED_TEXTS} ${EMBED_TEXTS}
      COMMENT "Making ${EMBED_HEADER}'s texts part of the program"
      VERBATIM)
  endfunction()
  return()
endif()

file(WRITE ${OUTPUT} "// Made by cmake/embed_texts.cmake.\n#include \"${HEADER}\"\n\nnamespace poet {\n\n")
foreach(file IN LISTS TEXTS)
  get_filename_component(name ${file} NAME)
  string(REPLACE "." "_" name ${name})
  file(READ ${file} text)
  file(APPEND ${OUTPUT} "std::string_view ${name}() {\n  return R\"poet_text(${text})poet_text\";\n}\n\n")
endforeach()
file(APPEND ${OUTPUT} "}  // namespace poet\n")
