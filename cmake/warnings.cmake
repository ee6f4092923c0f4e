# Flags that every target of ours gets; -Wno-sign-conversion because signed sizes and indices everywhere make that
# warning pure noise.
add_library(poet_warnings INTERFACE)
target_compile_options(poet_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  $<$<BOOL:${POET_WERROR}>:-Werror>
  # What g++ 12 falsely says when it optimises for speed: of "text" + a string (GCC bug 105651), and of members that a list of
  # initialisers leaves to their defaults. Builds with tests are asked about the latter.
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<CONFIG:Release>>:-Wno-restrict;-Wno-maybe-uninitialized>)

# g++ 12 warns falsely of the standard library's own strings (GCC bug 105651) and no longer knows, once they are
# precompiled, that they are not ours. For sources that read a precompiled header.
set(POET_FALSE_ALARMS
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread>)

# Sanitizers change every object, so they are set for the whole directory, not per target.
if(POET_SANITIZE)
  add_compile_options(-fsanitize=${POET_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(POET_SANITIZE_WITHOUT)
    add_compile_options(-fno-sanitize=${POET_SANITIZE_WITHOUT})
  endif()
  add_link_options(-fsanitize=${POET_SANITIZE})
endif()
