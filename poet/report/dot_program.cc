#include "poet/report/dot_program.h"

#include <fmt/format.h>

#include <cstdio>

#include "poet/base/child_process.h"

namespace poet {
namespace {

// A name that starts with a dash would be taken for an option.
std::string as_file_argument(const std::string& path) {
  return path.starts_with('-') ? "./" + path : path;
}

Error no_dot(const std::string& dot_file, const Error& why) {
  if (why.code == ErrorCode::NotFound)
    return {ErrorCode::Unsupported,
            fmt::format("the program 'dot' is not installed (package graphviz), so the graph is "
                        "only written as '{}'",
                        dot_file),
            {}};
  return {ErrorCode::Io, fmt::format("the program 'dot' cannot be run: {}", why.message), {}};
}

// The exit code of `dot`, or why it did not run. What it has to say about a font or a graph is not
// for our output.
Result<int> run_dot(const std::string& dot_file, const std::string& svg_file) {
  const Result<pid_t> child = start_child(
      {.words = {"dot", "-Tsvg", "-o", as_file_argument(svg_file), as_file_argument(dot_file)},
       .output = Nowhere{},
       .errors = Nowhere{}});
  if (!child.ok()) return no_dot(dot_file, child.error());
  const Result<int> code = wait_for_child(*child);
  if (!code.ok()) return no_dot(dot_file, code.error());
  return code;
}

}  // namespace

Failure draw_graph(const std::string& dot_file, const std::string& svg_file) {
  const std::string unfinished = svg_file + ".part";
  const Result<int> code = run_dot(dot_file, unfinished);
  if (code.ok() && *code == 0 && std::rename(unfinished.c_str(), svg_file.c_str()) == 0)
    return std::nullopt;
  std::remove(unfinished.c_str());
  if (!code.ok()) return code.error();
  return Error{ErrorCode::Io,
               fmt::format("the program 'dot' could not draw '{}' as '{}'", dot_file, svg_file),
               {}};
}

}  // namespace poet
