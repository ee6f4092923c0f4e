#include "python/src/refusal.h"

#include <regex>

#include "poet/base/named.h"

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
  py::object instance = error_class()(sentence);
  instance.attr("code") = std::string(name_of(kErrorCodes, error.code));
  instance.attr("file") =
      error.where.file.empty() ? py::object(py::none()) : py::object(py::str(error.where.file));
  instance.attr("line") =
      error.where.line > 0 ? py::object(py::int_(error.where.line)) : py::object(py::none());
  PyErr_SetObject(error_class().ptr(), instance.ptr());
}

}  // namespace

std::string in_python_words(const std::string& sentence) {
  static const std::regex kCommand("\\bpoet (solve|minimum|compare|sweep|explain|train)\\b(?! --)");
  static const std::regex kHelp("'poet help (\\w+)'");
  static const std::regex kOption("(^|[ '(])--([a-z]+(?:-[a-z]+)*)");
  std::string text = std::regex_replace(sentence, kHelp, "help(poet.$1)");
  text = std::regex_replace(text, kCommand, "poet.$1()");
  std::string words;
  auto from = text.cbegin();
  for (std::sregex_iterator found(text.cbegin(), text.cend(), kOption), end; found != end;
       ++found) {
    words.append(from, (*found)[0].first);
    std::string name = (*found)[2].str();
    for (char& letter : name)
      if (letter == '-') letter = '_';
    words += (*found)[1].str() + name;
    from = (*found)[0].second;
  }
  return words.append(from, text.cend());
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
