#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <utility>

#include "poet/base/result.h"

namespace poet::python {

namespace py = pybind11;

// Bad input on its way to Python, where it arrives as poet.Error: the one place at which a Result
// becomes an exception.
struct Refusal {
  Error error = {};
};

template <typename T>
T or_refuse(Result<T> result) {
  if (!result.ok()) throw Refusal{result.error()};
  return *std::move(result);
}

inline void or_refuse(Failure failure) {
  if (failure) throw Refusal{*std::move(failure)};
}

// A sentence of the command line in the words of Python: '--ram-budget' is ram_budget there.
std::string in_python_words(const std::string& sentence);

// Makes poet.Error, and turns every Refusal into one.
void add_errors(py::module_& module);

}  // namespace poet::python
