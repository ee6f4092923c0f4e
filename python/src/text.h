#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "poet/base/message_text.h"
#include "python/src/refusal.h"

namespace poet::python {

// A text from Python that may be a path: the name of a file may be any bytes, of which Python keeps
// those that are not UTF-8 as lone surrogates (PEP 383). Here they are bytes again.
class Text : public std::string {
 public:
  using std::string::string;
};

// What a question is asked with: the words of the command line, from which its options are read.
class Words : public std::vector<std::string> {
 public:
  using std::vector<std::string>::vector;
};

// The text with its half characters written out, for a message that tells which text it is.
inline std::string shown(const py::handle& text) {
  const py::object bytes = py::reinterpret_steal<py::object>(
      PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  if (bytes) return in_quotes(PyBytes_AsString(bytes.ptr()));
  PyErr_Clear();
  return "a text";
}

// The bytes of a text of Python; a Refusal if it has characters that are none.
inline std::string bytes_of(const py::handle& text) {
  const py::object bytes = py::reinterpret_steal<py::object>(
      PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (bytes) {
    std::string out(PyBytes_AsString(bytes.ptr()),
                    static_cast<std::size_t>(PyBytes_Size(bytes.ptr())));
    // As a path it would be another's, of what stands before it.
    if (out.find('\0') != std::string::npos)
      throw Refusal{bad_input(in_quotes(out) + " has a character of the code 0 in it")};
    return out;
  }
  PyErr_Clear();
  throw Refusal{bad_input(shown(text) + " has half of a UTF-16 pair in it, which is no character")};
}

// A text for Python: the other way around.
inline py::str text_of(const std::string& bytes) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape"));
}

}  // namespace poet::python

namespace pybind11::detail {

template <>
struct type_caster<poet::python::Text> {
  PYBIND11_TYPE_CASTER(poet::python::Text, const_name("str"));
  bool load(handle source, bool) {
    if (!PyUnicode_Check(source.ptr())) return false;
    value.assign(poet::python::bytes_of(source));
    return true;
  }
};

template <>
struct type_caster<poet::python::Words> {
  PYBIND11_TYPE_CASTER(poet::python::Words, const_name("List[str]"));
  bool load(handle source, bool) {
    if (!isinstance<list>(source)) return false;
    for (const handle& word : reinterpret_borrow<list>(source)) {
      if (!PyUnicode_Check(word.ptr())) return false;
      value.push_back(poet::python::bytes_of(word));
    }
    return true;
  }
};

}  // namespace pybind11::detail
