#pragma once

#include <string>

namespace poet::cli {

// Scripts that teach a shell the commands and options, made from their tables. To be sourced, or
// put where the shell looks for completions.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace poet::cli
