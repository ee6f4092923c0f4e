#include "poet/report/dot_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

namespace poet {
namespace {

// A name that starts with a dash would be taken for an option.
std::string as_file_argument(const std::string& path) {
  return path.starts_with('-') ? "./" + path : path;
}

Error no_dot(const std::string& dot_file, int reason) {
  if (reason == ENOENT)
    return {ErrorCode::Unsupported,
            fmt::format("the program 'dot' is not installed (package graphviz), so the graph is "
                        "only written as '{}'",
                        dot_file),
            {}};
  return {
      ErrorCode::Io, fmt::format("the program 'dot' cannot be run: {}", std::strerror(reason)), {}};
}

// The exit status of `dot` as waitpid() tells it, or why it did not run.
Result<int> run_dot(const std::string& dot_file, const std::string& svg_file) {
  std::vector<std::string> words = {"dot", "-Tsvg", "-o", as_file_argument(svg_file),
                                    as_file_argument(dot_file)};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  // What it has to say about a font or a graph is not for our output.
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int refused = posix_spawnp(&child, "dot", &quiet, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&quiet);
  if (refused != 0) return no_dot(dot_file, refused);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return no_dot(dot_file, errno);
  return status;
}

}  // namespace

Failure draw_graph(const std::string& dot_file, const std::string& svg_file) {
  const std::string unfinished = svg_file + ".part";
  const Result<int> status = run_dot(dot_file, unfinished);
  if (status.ok() && WIFEXITED(*status) && WEXITSTATUS(*status) == 0 &&
      std::rename(unfinished.c_str(), svg_file.c_str()) == 0)
    return std::nullopt;
  std::remove(unfinished.c_str());
  if (!status.ok()) return status.error();
  return Error{ErrorCode::Io,
               fmt::format("the program 'dot' could not draw '{}' as '{}'", dot_file, svg_file),
               {}};
}

}  // namespace poet
