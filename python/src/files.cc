// Files that Python asks for: each is replaced as a whole or not at all.

#include <filesystem>
#include <span>
#include <system_error>

#include "poet/base/atomic_file.h"
#include "poet/base/text_file.h"
#include "python/src/bindings.h"
#include "python/src/refusal.h"

namespace poet::python {
namespace {

void write_text(const Text& path, const Text& text) {
  const py::gil_scoped_release unlocked;
  or_refuse(write_text_file(path, text));
}

// Nothing is to be done where both are one file.
void copy_file(const Text& source, const Text& path) {
  const py::gil_scoped_release unlocked;
  std::error_code ignored;
  if (std::filesystem::equivalent(static_cast<const std::string&>(source),
                                  static_cast<const std::string&>(path), ignored))
    return;
  or_refuse(write_file_atomically(path, [&source](FileWriter& writer) {
    return read_file_in_pieces(source, [&writer](std::string_view piece) {
      return writer.append(std::as_bytes(std::span(piece)));
    });
  }));
}

}  // namespace

void stay_in_place(std::optional<std::string>& path) {
  if (!path || path->empty()) return;
  std::error_code unknown;
  const std::filesystem::path whole = std::filesystem::absolute(*path, unknown);
  if (!unknown) path = whole.string();
}

Question question_of(const PlanRequest& request) {
  const py::gil_scoped_release unlocked;
  return or_refuse(read_question(request));
}

void add_files(py::module_& module) {
  module.def("write_text", &write_text);
  module.def("copy_file", &copy_file);
}

}  // namespace poet::python
