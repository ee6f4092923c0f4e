#pragma once

#include <string>

#include "poet/base/result.h"

namespace poet {

// Draws `dot_file` as `svg_file` with the program `dot` of Graphviz, which is run directly, without
// a shell. When it is not installed or refuses, one sentence says so, and `svg_file` is as it was
// before.
Failure draw_graph(const std::string& dot_file, const std::string& svg_file);

}  // namespace poet
