#include "poet/report/model_dot.h"

#include <fmt/core.h>

#include <set>
#include <utility>
#include <vector>

#include "poet/graph/operator_table.h"
#include "poet/report/figure_text.h"
#include "poet/report/graphviz.h"
#include "poet/report/layers.h"

namespace poet {
namespace {

class Picture {
 public:
  explicit Picture(const Graph& graph)
      : graph_(graph), layers_(layers_of(graph)), repeats_(repeats_of(layers_)) {
    for (std::int32_t i = 0; i < std::ssize(layers_); ++i) drawn_.push_back(i);
    for (const Repeat& repeat : repeats_)
      for (std::int32_t i = repeat.begin; i < repeat.end(); ++i)
        drawn_[static_cast<std::size_t>(i)] = repeat.begin + (i - repeat.begin) % repeat.period;
  }

  std::string text() const {
    std::string out = fmt::format("digraph {} {{\n", dot_quoted(graph_.name));
    out +=
        "  node [shape=box, style=\"filled,rounded\", fillcolor=\"#ffffff\", color=\"#566274\", "
        "fontname=\"Helvetica\", fontsize=11];\n  edge [color=\"#566274\", arrowsize=0.7];\n";
    for (const TensorId input : inputs()) out += input_node(input);
    std::size_t next = 0;
    for (std::int32_t i = 0; i < std::ssize(layers_);) {
      if (next == repeats_.size() || i < repeats_[next].begin) {
        out += "  " + node(i++);
        continue;
      }
      out += frame(repeats_[next]);
      i = repeats_[next++].end();
    }
    return out + arrows() + "}\n";
  }

 private:
  const DrawnLayer& layer(std::int32_t place) const {
    return layers_[static_cast<std::size_t>(place)];
  }
  std::int32_t drawn(std::int32_t place) const { return drawn_[static_cast<std::size_t>(place)]; }

  std::set<TensorId> inputs() const {
    std::set<TensorId> all;
    for (const DrawnLayer& one : layers_) all.insert(one.given.begin(), one.given.end());
    return all;
  }

  std::string input_node(TensorId input) const {
    const GraphTensor& tensor = at(graph_.tensors, input);
    return fmt::format("  input{} [label={}, shape=ellipse, fillcolor=\"#ecdcae\"];\n",
                       index_of(input), dot_quoted(tensor.name + "\n" + to_text(tensor.type)));
  }

  std::string node(std::int32_t place) const {
    const DrawnLayer& one = layer(place);
    std::string label = one.name + "\n";
    for (std::size_t k = 0; k < one.kinds.size(); ++k)
      label += (k == 0 ? "" : ", ") + std::string(entry_of(one.kinds[k]).name);
    label += "\n" + to_text(one.shape);
    if (one.parameters > 0) label += "\n" + count_figure(one.parameters) + " parameters";
    return fmt::format("layer{} [label={}{}];\n", place, dot_quoted(label),
                       one.parameters > 0 ? ", fillcolor=\"#a9cdea\"" : "");
  }

  std::string frame(const Repeat& repeat) const {
    const std::string label = fmt::format("{} times the same, from {} to {}", repeat.count,
                                          layer(repeat.begin).name, layer(repeat.end() - 1).name);
    std::string out = fmt::format(
        "  subgraph cluster_{} {{\n    label={}; labeljust=l; style=rounded; color=\"#d55e00\"; "
        "penwidth=1.5; fontname=\"Helvetica\"; fontsize=12;\n",
        repeat.begin, dot_quoted(label));
    for (std::int32_t i = repeat.begin; i < repeat.begin + repeat.period; ++i)
      out += "    " + node(i);
    return out + "  }\n";
  }

  // Each once. What leads from one piece of a run to the next is dashed, and does not order the
  // rows.
  std::string arrows() const {
    std::set<std::pair<std::int32_t, std::int32_t>> seen;
    std::set<std::pair<TensorId, std::int32_t>> seen_inputs;
    std::string out;
    for (std::int32_t i = 0; i < std::ssize(layers_); ++i) {
      for (const TensorId input : layer(i).given)
        if (seen_inputs.emplace(input, drawn(i)).second)
          out += fmt::format("  input{} -> layer{};\n", index_of(input), drawn(i));
      for (const std::int32_t from : layer(i).inputs)
        if (seen.emplace(drawn(from), drawn(i)).second)
          out += fmt::format("  layer{} -> layer{}{};\n", drawn(from), drawn(i),
                             drawn(from) < drawn(i) ? "" : " [style=dashed, constraint=false]");
    }
    return out;
  }

  const Graph& graph_;
  std::vector<DrawnLayer> layers_;
  std::vector<Repeat> repeats_;
  std::vector<std::int32_t> drawn_;  // of each layer, the one that stands for it
};

}  // namespace

std::string model_dot(const Graph& graph) {
  return Picture(graph).text();
}

}  // namespace poet
