#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <optional>
#include <string>

#include "poet/ask/question.h"
#include "poet/solve/solver.h"
#include "python/src/beside.h"
#include "python/src/text.h"

namespace poet::python {

namespace py = pybind11;

// What is called at news, an argument of that name; null where it is None. Refuses what cannot be
// called.
PyObject* called_at_news(const py::object& callback, const char* name = "progress");

// A sink that calls `callback` with a dict for each news of a search; empty when it is None.
ProgressSink progress_sink(const py::object& callback, const Stop& stop, const Post& post);

// A path that is opened later is where it was named: a callback may change the folder that the
// process is in.
void stay_in_place(std::optional<std::string>& path);

// Reads the files of a question; other threads of Python run meanwhile.
Question question_of(const PlanRequest& request);

// The parts of the module.
void add_plans(py::module_& module);
void add_questions(py::module_& module);
void add_networks(py::module_& module);
void add_builder(py::module_& module);
void add_training(py::module_& module);
void add_files(py::module_& module);

}  // namespace poet::python
