#pragma once

#include <string>
#include <string_view>

#include "poet/base/json_out.h"
#include "poet/base/result.h"
#include "poet/problem/costed_graph.h"

namespace poet {

// The format "poet-costed-graph", version 1 (docs/formats/costed_graph.md): one list per property,
// with one item per node. Reading also takes graphs that do not name the format. It refuses, with
// line and column, what is not such a graph, edges that lead backwards or in a circle, and figures
// whose sum is out of range.
JsonOut costed_graph_to_json(const CostedGraph& graph);
std::string costed_graph_text(const CostedGraph& graph);
Result<CostedGraph> parse_costed_graph(std::string_view text, const std::string& file);

}  // namespace poet
