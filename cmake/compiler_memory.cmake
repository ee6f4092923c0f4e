# g++ looks for memory that it can use again whenever it has a third more than before, and walks through all of a precompiled
# header for that: up to a tenth of compiling a group of sources, for a fifth less memory (bench/build/README.md). Up to 1 GB it
# only takes.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1000000>)
