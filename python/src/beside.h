#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <optional>
#include <utility>

#include "poet/base/stop.h"

namespace poet::python {

namespace py = pybind11;

// Hands a call into Python to the thread that waits for the work; returns at once, or, when very
// many wait already, once they have been made.
using Post = std::function<void(std::function<void()>)>;

// Runs long work on a thread of its own while the calling thread waits without the interpreter's
// lock, makes the calls that the work posts, and listens for Ctrl-C. The first Ctrl-C asks the work
// to stop, which then ends with what it has. Another one, or an exception in a posted call, does
// the same and is raised once the work has ended. `limit_s` is counted from the call.
void run_beside(double limit_s, const std::function<void(const Stop&, const Post&)>& work);

// The same for work with a result.
template <typename Work>
auto beside(double limit_s, Work work) {
  using Made = decltype(work(std::declval<const Stop&>(), std::declval<const Post&>()));
  std::optional<Made> made;
  run_beside(limit_s, [&](const Stop& stop, const Post& post) { made.emplace(work(stop, post)); });
  return *std::move(made);
}

}  // namespace poet::python
