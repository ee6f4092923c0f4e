# What makes a mistake of ours harder to use against somebody: guarded stacks, calls of the C library that know the sizes
# of their buffers, and tables of functions that are read-only once the program runs. docs/decisions/0031 says more.
# Sanitizers find more of the same, and do not go with it.
if(POET_HARDENING AND NOT POET_SANITIZE)
  add_compile_options(-fstack-protector-strong $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
    $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  add_link_options(-Wl,-z,relro,-z,now)
endif()
# For objects that have to work where there is no operating system.
set(POET_NOT_HARDENED -fno-stack-protector -U_FORTIFY_SOURCE)
