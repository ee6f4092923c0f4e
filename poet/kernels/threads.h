#pragma once

namespace poet {

// The threads that kernels run on are OpenMP's, which oneDNN uses too: two kinds of threads would
// wait for each other's processors (docs/decisions/0019-onednn-and-threads.md).

// How many threads the calling thread's parallel work has from now on, also in libraries.
void use_threads(int threads);

namespace threads {
using PartFunction = void (*)(const void* work, int part);
void run_parts(int parts, PartFunction function, const void* work);
}  // namespace threads

// work(0) ... work(parts - 1), each on a thread of its own; returns when all have ended. Allocates
// nothing once as many threads have run before.
template <typename Work>
void run_in_parts(int parts, const Work& work) {
  threads::run_parts(
      parts, [](const void* it, int part) { (*static_cast<const Work*>(it))(part); }, &work);
}

}  // namespace poet
