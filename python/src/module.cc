#include "poet/poet.h"
#include "python/src/bindings.h"
#include "python/src/refusal.h"

// Everything here is named again, with its documentation, by the Python files beside it.
PYBIND11_MODULE(_poet, module) {
  module.attr("__version__") = poet::v1::version();
  poet::python::add_errors(module);
  poet::python::add_plans(module);
  poet::python::add_questions(module);
  poet::python::add_networks(module);
  poet::python::add_builder(module);
  poet::python::add_training(module);
  poet::python::add_files(module);
}
