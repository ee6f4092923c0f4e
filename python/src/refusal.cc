#include "python/src/refusal.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "poet/base/check.h"
#include "poet/base/named.h"
#include "poet/base/regular_expression.h"
#include "python/src/text.h"

namespace poet::python {
namespace {

constexpr Named<ErrorCode> kErrorCodes[] = {{"bad_input", ErrorCode::BadInput},
                                            {"not_found", ErrorCode::NotFound},
                                            {"unsupported", ErrorCode::Unsupported},
                                            {"io", ErrorCode::Io}};

// Lives as long as the process, as the module does.
py::object& error_class() {
  static py::object* const made = new py::object();
  return *made;
}

void raise(const Error& error) {
  const std::string sentence = in_python_words(to_string(error));
  py::object instance = error_class()(text_of(sentence));
  instance.attr("code") = std::string(name_of(kErrorCodes, error.code));
  instance.attr("file") =
      error.where.file.empty() ? py::object(py::none()) : py::object(text_of(error.where.file));
  instance.attr("line") =
      error.where.line > 0 ? py::object(py::int_(error.where.line)) : py::object(py::none());
  PyErr_SetObject(error_class().ptr(), instance.ptr());
}

// The text with whatever matches the pattern replaced.
std::string replaced(const std::string& text, std::string_view pattern,
                     const std::function<std::string(const RegularExpression::Match&)>& by) {
  const Result<RegularExpression> expression = RegularExpression::parse(pattern);
  POET_CHECK(expression.ok());
  std::string out;
  std::size_t from = 0;
  for (const RegularExpression::Match& match : expression->matches_in(text)) {
    out.append(text, from, match.begin - from).append(by(match));
    from = match.end;
  }
  return out.append(text, from);
}

}  // namespace

std::string in_python_words(const std::string& sentence) {
  std::string text = replaced(sentence, "'poet help (\\w+)'", [](const auto& found) {
    return "help(poet." + std::string(found.groups[0]) + ")";
  });
  // A whole command line stays as it is.
  text = replaced(text, "\\bpoet (solve|minimum|compare|sweep|explain|train)\\b( --)?",
                  [](const auto& found) {
                    const std::string name(found.groups[0]);
                    return found.groups[1].empty() ? "poet." + name + "()" : "poet " + name + " --";
                  });
  return replaced(text, "(^|[ '(])--([a-z]+(?:-[a-z]+)*)", [](const auto& found) {
    std::string name(found.groups[1]);
    std::replace(name.begin(), name.end(), '-', '_');
    return std::string(found.groups[0]) + name;
  });
}

void add_errors(py::module_& module) {
  const char* const doc =
      "Bad input: one sentence that names what is wrong, and what would be right.\n\n"
      "code: 'bad_input', 'not_found', 'unsupported' or 'io'; file, line: where, if it came from a "
      "text.";
  error_class() = py::reinterpret_steal<py::object>(
      PyErr_NewExceptionWithDoc("poet.Error", doc, PyExc_ValueError, nullptr));
  for (const char* const name : {"code", "file", "line"}) error_class().attr(name) = py::none();
  module.attr("Error") = error_class();
  py::register_exception_translator([](std::exception_ptr raised) {
    try {
      if (raised) std::rethrow_exception(raised);
    } catch (const Refusal& refusal) {
      raise(refusal.error);
    }
  });
}

}  // namespace poet::python
