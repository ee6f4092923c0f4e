#pragma once

#include <pybind11/pybind11.h>

#include <functional>

#include "poet/solve/solver.h"
#include "python/src/beside.h"
#include "python/src/text.h"

namespace poet::python {

namespace py = pybind11;

// A sink that calls `callback` with a dict for each news of a search; empty when it is None.
ProgressSink progress_sink(const py::object& callback, const Stop& stop, const Post& post);

// The parts of the module.
void add_plans(py::module_& module);
void add_questions(py::module_& module);
void add_networks(py::module_& module);
void add_builder(py::module_& module);
void add_training(py::module_& module);
void add_files(py::module_& module);

}  // namespace poet::python
