#include "poet/problem/costed_graph_json.h"

#include <fmt/core.h>

#include <algorithm>

#include "poet/base/checked_math.h"
#include "poet/base/json_out.h"
#include "poet/base/json_reader.h"
#include "poet/problem/figure_range.h"

namespace poet {
namespace {

// A property of nodes with a list of its own.
struct CostList {
  std::string_view key;
  double CostedNode::*figure;
};

constexpr CostList kDuration{"duration", &CostedNode::duration_s};
constexpr CostList kEnergy{"compute_j", &CostedNode::compute_j};
constexpr CostList kStorage[] = {{"page_in_j", &CostedNode::page_in_j},
                                 {"page_out_j", &CostedNode::page_out_j}};
constexpr CostList kTransferTimes[] = {{"page_in_s", &CostedNode::page_in_s},
                                       {"page_out_s", &CostedNode::page_out_s}};

template <typename Field>
JsonOut list_of(const CostedGraph& graph, Field CostedNode::*field) {
  JsonOut list = JsonOut::array();
  for (const CostedNode& node : graph.nodes) list.push_back(node.*field);
  return list;
}

JsonOut edges_of(const CostedGraph& graph) {
  JsonOut edges = JsonOut::array();
  for (std::size_t v = 0; v < graph.nodes.size(); ++v)
    for (const OperationId input : graph.nodes[v].inputs) edges.push_back({index_of(input), v});
  return edges;
}

struct Edge {
  OperationId from{};
  OperationId to{};
  const JsonValue* where = nullptr;
};

std::string edge_text(const Edge& edge) {
  return "edge [" + std::to_string(index_of(edge.from)) + ", " + std::to_string(index_of(edge.to)) +
         "]";
}

std::string found_edge(const JsonValue& value) {
  const auto* const list = std::get_if<JsonList>(&value.data);
  return list == nullptr ? found_text(value) : "a list of " + std::to_string(list->size());
}

// The first edge in the order of the file that stands there a second time.
const Edge* first_repeated(const std::vector<Edge>& edges) {
  std::vector<const Edge*> sorted;
  sorted.reserve(edges.size());
  for (const Edge& edge : edges) sorted.push_back(&edge);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Edge* a, const Edge* b) {
    return std::pair(a->from, a->to) < std::pair(b->from, b->to);
  });
  const Edge* first = nullptr;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const bool same = sorted[i - 1]->from == sorted[i]->from && sorted[i - 1]->to == sorted[i]->to;
    if (same && (first == nullptr || sorted[i] < first)) first = sorted[i];
  }
  return first;
}

// Whether a path of edges leads from one node to another.
bool leads_to(const CostedGraph& graph, OperationId from, OperationId to) {
  std::vector<bool> seen(graph.nodes.size(), false);
  std::vector<OperationId> open = {to};
  while (!open.empty()) {
    const OperationId node = open.back();
    open.pop_back();
    if (node == from) return true;
    const auto place = static_cast<std::size_t>(node);
    if (seen[place]) continue;
    seen[place] = true;
    const std::vector<OperationId>& inputs = graph.nodes[place].inputs;
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  return false;
}

// Reads the lists of a graph, each of which has one item per node.
class GraphReader {
 public:
  GraphReader(const JsonValue& value, JsonReader& reader)
      : object_(value, "a costed graph", reader), reader_(reader) {}

  CostedGraph read() {
    read_format();
    if (reader_.failure()) return {};
    graph_.name = object_.text("name");
    if (graph_.name.empty() && !reader_.failure())
      reader_.refuse(object_.member("name"), "the name of a graph must not be empty");
    if (object_.has("source")) graph_.source = object_.text("source");
    const std::int64_t count = object_.whole("nodes", {1, kIndexRange.max});
    // Before anything of this size is made: the file must be as long as it says.
    const JsonList& durations = list_of_nodes(kDuration.key, static_cast<std::size_t>(count));
    if (reader_.failure()) return {};
    graph_.nodes.resize(durations.size());
    read_costs(kDuration);
    read_sizes();
    read_edges();
    read_names();
    read_backward();
    read_energies();
    graph_.stated_plain_peak_bytes = stated_bytes("peak_without_recomputation_bytes");
    graph_.stated_working_set_bytes = stated_bytes("largest_working_set_bytes");
    object_.finish();
    if (!reader_.failure()) refuse_backward_edges();
    return std::move(graph_);
  }

 private:
  // Published graphs say neither; whoever says one of them must say both, and rightly.
  void read_format() {
    const bool has_format = object_.has("format");
    const bool has_version = object_.has("version");
    if (has_format || has_version) object_.format("poet-costed-graph", 1);
  }

  const JsonList& list_of_nodes(std::string_view key, std::size_t count) {
    static const JsonList kNone;
    const JsonList& list = object_.list(key);
    if (list.size() == count) return list;
    reader_.refuse(object_.member(key),
                   "'" + std::string(key) + "' must have " + std::to_string(count) +
                       (count == 1 ? " item" : " items") + ", one for each node, found " +
                       std::to_string(list.size()));
    return kNone;
  }
  const JsonList& list_of_nodes(std::string_view key) {
    return list_of_nodes(key, graph_.nodes.size());
  }

  void read_costs(const CostList& row) {
    const JsonList& list = list_of_nodes(row.key);
    for (std::size_t v = 0; v < list.size(); ++v) {
      const double figure = reader_.number(list[v], row.key, NumberRange::NotNegative);
      if (!is_in_figure_range(figure))
        reader_.refuse(list[v], fmt::format("'{}' must be 0 or from {} to {}, found {}", row.key,
                                            kLeastFigure, kMostFigure, figure));
      graph_.nodes[v].*row.figure = figure;
    }
  }

  void read_sizes() {
    std::optional<std::int64_t> sum = 0;
    const JsonList& list = list_of_nodes("output_bytes");
    for (std::size_t v = 0; v < list.size(); ++v) {
      graph_.nodes[v].output_bytes = reader_.whole(list[v], "output_bytes", kSizeRange);
      if (sum) sum = checked_add(*sum, graph_.nodes[v].output_bytes);
    }
    if (!sum || *sum > kMostBytesInAll)
      reader_.refuse(
          object_.member("output_bytes"),
          "'output_bytes' adds up to more than 2^53 bytes, above which doubles skip some");
  }

  void read_names() {
    for (std::size_t v = 0; v < graph_.nodes.size(); ++v)
      graph_.nodes[v].name = "op_" + std::to_string(v);
    if (!object_.has("names")) return;
    const JsonList& list = list_of_nodes("names");
    for (std::size_t v = 0; v < list.size(); ++v)
      graph_.nodes[v].name = reader_.text(list[v], "names");
  }

  void read_backward() {
    if (!object_.has("backward")) return;
    // Published graphs without a backward pass say so by null.
    if (std::holds_alternative<std::nullptr_t>(object_.member("backward").data)) return;
    const JsonList& list = list_of_nodes("backward");
    for (std::size_t v = 0; v < list.size(); ++v)
      graph_.nodes[v].backward = reader_.flag(list[v], "backward");
  }

  // Both lists of a pair, or neither.
  bool read_pair(const CostList (&pair)[2]) {
    const bool first = object_.has(pair[0].key);
    const bool second = object_.has(pair[1].key);
    if (first != second) {
      const CostList& given = pair[first ? 0 : 1];
      const CostList& missing = pair[first ? 1 : 0];
      reader_.refuse(object_.member(given.key), "'" + std::string(given.key) + "' needs '" +
                                                    std::string(missing.key) + "' beside it");
    }
    if (!first || !second) return false;
    for (const CostList& row : pair) read_costs(row);
    return true;
  }

  void read_energies() {
    graph_.has_energies = object_.has(kEnergy.key);
    if (graph_.has_energies) read_costs(kEnergy);
    graph_.has_storage = read_pair(kStorage);
    graph_.has_transfer_times = read_pair(kTransferTimes);
    if (graph_.has_transfer_times && !graph_.has_storage)
      reader_.refuse(object_.member(kTransferTimes[0].key),
                     "'page_in_s' needs 'page_in_j' and 'page_out_j' beside it");
  }

  std::optional<std::int64_t> stated_bytes(std::string_view key) {
    if (!object_.has(key)) return std::nullopt;
    return object_.whole(key, kSizeRange);
  }

  void read_edges() {
    for (const JsonValue& value : object_.list("edges"))
      if (const std::optional<Edge> edge = read_edge(value)) edges_.push_back(*edge);
    for (const Edge& edge : edges_) at(graph_.nodes, edge.to).inputs.push_back(edge.from);
    if (const Edge* const twin = first_repeated(edges_))
      reader_.refuse(*twin->where, edge_text(*twin) + " stands here twice");
  }

  std::optional<Edge> read_edge(const JsonValue& value) {
    const auto* const ends = std::get_if<JsonList>(&value.data);
    if (ends == nullptr || ends->size() != 2) {
      reader_.refuse(value, "an edge must be a list of two nodes, found " + found_edge(value));
      return std::nullopt;
    }
    const std::optional<OperationId> from = read_end((*ends)[0]);
    const std::optional<OperationId> to = read_end((*ends)[1]);
    if (!from || !to) return std::nullopt;
    return Edge{*from, *to, &value};
  }

  std::optional<OperationId> read_end(const JsonValue& value) {
    const auto* const node = std::get_if<std::int64_t>(&value.data);
    if (node != nullptr && 0 <= *node && *node < std::ssize(graph_.nodes))
      return OperationId{static_cast<std::int32_t>(*node)};
    reader_.refuse(value, "an edge must join two nodes from 0 to " +
                              std::to_string(graph_.nodes.size() - 1) + ", found " +
                              found_text(value));
    return std::nullopt;
  }

  void refuse_backward_edges() {
    const auto edge = std::find_if(edges_.begin(), edges_.end(),
                                   [](const Edge& one) { return one.from >= one.to; });
    if (edge == edges_.end()) return;
    reader_.refuse(
        *edge->where,
        edge_text(*edge) + (leads_to(graph_, edge->to, edge->from)
                                ? " closes a circle: no order computes each node before it is read"
                                : " leads backwards: a node must stand after those that it reads"));
  }

  JsonObject object_;
  JsonReader& reader_;
  CostedGraph graph_;
  std::vector<Edge> edges_;
};

}  // namespace

JsonOut costed_graph_to_json(const CostedGraph& graph) {
  JsonOut out = JsonOut::object();
  out["format"] = "poet-costed-graph";
  out["version"] = 1;
  out["name"] = graph.name;
  if (!graph.source.empty()) out["source"] = graph.source;
  out["nodes"] = graph.nodes.size();
  out["names"] = list_of(graph, &CostedNode::name);
  out["edges"] = edges_of(graph);
  out["duration"] = list_of(graph, kDuration.figure);
  out["output_bytes"] = list_of(graph, &CostedNode::output_bytes);
  const auto add = [&](const CostList& row) {
    out[std::string(row.key)] = list_of(graph, row.figure);
  };
  if (graph.has_energies) add(kEnergy);
  if (graph.has_storage)
    for (const CostList& row : kStorage) add(row);
  if (graph.has_transfer_times)
    for (const CostList& row : kTransferTimes) add(row);
  out["backward"] = list_of(graph, &CostedNode::backward);
  if (graph.stated_plain_peak_bytes)
    out["peak_without_recomputation_bytes"] = *graph.stated_plain_peak_bytes;
  if (graph.stated_working_set_bytes)
    out["largest_working_set_bytes"] = *graph.stated_working_set_bytes;
  return out;
}

std::string costed_graph_text(const CostedGraph& graph) {
  return json_text(costed_graph_to_json(graph));
}

Result<CostedGraph> parse_costed_graph(std::string_view text, const std::string& file) {
  const Result<JsonValue> json = parse_json(text, file);
  if (!json) return json.error();
  JsonReader reader(file);
  CostedGraph graph = GraphReader(*json, reader).read();
  if (reader.failure()) return *reader.failure();
  return graph;
}

}  // namespace poet
