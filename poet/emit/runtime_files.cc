#include "poet/emit/runtime_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "poet/base/check.h"
#include "poet/emit/project_texts.h"

namespace poet {
namespace {

bool has(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const ProjectText& file_that_defines(std::string_view function) {
  for (const ProjectText& file : project_text_table())
    if (has(file.defines, function)) return file;
  check_failed("every function stands in a file of poet/runtime", __FILE__, __LINE__);
}

std::vector<std::string_view> headers_of(std::string_view text) {
  constexpr std::string_view kInclude = "#include \"";
  std::vector<std::string_view> headers;
  for (std::size_t at = text.find(kInclude); at != text.npos; at = text.find(kInclude, at)) {
    at += kInclude.size();
    headers.push_back(text.substr(at, text.find('"', at) - at));
  }
  return headers;
}

void add(const ProjectText& file, std::set<std::string>& files) {
  if (!files.insert(std::string(file.name)).second) return;
  for (const std::string_view header : headers_of(file.text)) add(project_text(header), files);
  for (const std::string_view function : file.calls) add(file_that_defines(function), files);
}

// Where the header that declares it says `begin`; nothing: it does not.
struct Declared {
  const ProjectText* header = nullptr;
  std::size_t after = 0;  // the place behind `begin`
};

Declared declared(const std::string& begin) {
  for (const ProjectText& file : project_text_table()) {
    const std::size_t at = file.text.find(begin);
    if (file.name.ends_with(".h") && at != file.text.npos) return {&file, at + begin.size()};
  }
  return {};
}

}  // namespace

const ProjectText& project_text(std::string_view name) {
  for (const ProjectText& text : project_text_table())
    if (text.name == name) return text;
  check_failed("every text of a project is part of the program", __FILE__, __LINE__);
}

std::set<std::string> runtime_files(const std::set<std::string>& functions) {
  std::set<std::string> files;
  for (const std::string& function : functions) add(file_that_defines(function), files);
  return files;
}

KernelDeclaration declaration_of(std::string_view function) {
  const Declared found = declared("\nvoid " + std::string(function) + "(const ");
  POET_CHECK(found.header != nullptr);
  const std::string_view rest = found.header->text.substr(found.after);
  return {found.header->name, rest.substr(0, rest.find('*'))};
}

std::string_view header_of(std::string_view function) {
  for (const char* const type : {"void", "poet_status"})
    if (const Declared found = declared(fmt::format("\n{} {}(", type, function)); found.header)
      return found.header->name;
  check_failed("what is called is declared in a header of poet/runtime", __FILE__, __LINE__);
}

}  // namespace poet
