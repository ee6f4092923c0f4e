#include "poet/report/graphviz.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <variant>
#include <vector>

#include "poet/problem/facts.h"
#include "poet/report/figure_text.h"

namespace poet {

std::string dot_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    if (letter == '\n')
      out += "\\n";
    else
      out += letter;
  }
  return out + "\"";
}

namespace {

// Runs of each operation, and reads from storage of each tensor.
struct Use {
  std::vector<std::int64_t> runs;
  std::vector<std::int64_t> reads;
};

Use use_of(const Problem& problem, const std::optional<Schedule>& schedule) {
  Use use{std::vector<std::int64_t>(problem.operations.size()),
          std::vector<std::int64_t>(problem.tensors.size())};
  if (!schedule) return use;
  for (const Action& action : schedule->actions) {
    if (const Compute* compute = std::get_if<Compute>(&action))
      ++at(use.runs, compute->operation);
    else if (const PageIn* page = std::get_if<PageIn>(&action))
      ++at(use.reads, page->tensor);
  }
  return use;
}

std::int64_t output_bytes(const Problem& problem, const Operation& operation) {
  std::int64_t sum = 0;
  for (const TensorId output : operation.outputs) sum += at(problem.tensors, output).size_bytes;
  return sum;
}

std::string operation_node(const Problem& problem, OperationId id, const Use& use) {
  const Operation& operation = at(problem.operations, id);
  const std::int64_t runs = at(use.runs, id);
  std::string label = operation.name + "\n" + size_figure(output_bytes(problem, operation));
  if (runs > 1) label += fmt::format("\nruns {} times", runs);
  std::string out = fmt::format("  op{} [label={}", index_of(id), dot_quoted(label));
  if (operation.backward) out += ", fillcolor=\"#e3e8ee\"";
  if (runs > 1) out += ", color=\"#d55e00\", penwidth=2.5";
  return out + "];\n";
}

std::string storage_node(const Problem& problem, TensorId id) {
  const Tensor& tensor = at(problem.tensors, id);
  const std::string label = tensor.name + "\n" + size_figure(tensor.size_bytes);
  return fmt::format("  tensor{} [label={}, shape=cylinder, fillcolor=\"#ecdcae\"];\n",
                     index_of(id), dot_quoted(label));
}

std::string attributes_text(const std::vector<std::string>& attributes) {
  return attributes.empty() ? "" : fmt::format(" [{}]", fmt::join(attributes, ", "));
}

// From the operation that makes the tensor, or else from the tensor itself. Arrows within the
// backward pass are stated the other way round, and those into it do not order the rows: so it
// climbs up beside the forward pass, each operation near those whose tensors it reads. With both
// passes in one column Graphviz needs minutes for a few hundred operations, since every tensor that
// the backward pass reads is then a line along half of the picture.
std::string arrow(const Problem& problem, TensorId input, const std::optional<OperationId>& maker,
                  OperationId reader, const Use& use) {
  const std::string to = fmt::format("op{}", index_of(reader));
  if (!maker) return fmt::format("  tensor{} -> {};\n", index_of(input), to);
  const std::string from = fmt::format("op{}", index_of(*maker));
  const bool climbs = at(problem.operations, *maker).backward;
  std::vector<std::string> attributes;
  if (climbs) attributes.push_back("dir=back");
  if (!climbs && at(problem.operations, reader).backward) attributes.push_back("constraint=false");
  if (at(use.reads, root_of(problem, input)) > 0)
    attributes.insert(attributes.end(), {"style=dashed", "color=\"#b3478f\"", "penwidth=1.5"});
  return fmt::format("  {} -> {}{};\n", climbs ? to : from, climbs ? from : to,
                     attributes_text(attributes));
}

}  // namespace

std::string graphviz_dot(const Problem& problem, const std::optional<Schedule>& schedule) {
  const Use use = use_of(problem, schedule);
  const std::vector<std::optional<OperationId>> makers = producers(problem);
  std::string out = "digraph " + dot_quoted(problem.name) + " {\n";
  // Limits on the effort that Graphviz spends on straight lines; a small graph never reaches them.
  out += "  graph [nslimit=2, nslimit1=2];\n";
  out +=
      "  node [shape=box, style=\"filled,rounded\", fillcolor=\"#ffffff\", color=\"#566274\", "
      "fontname=\"Helvetica\", fontsize=11];\n  edge [color=\"#566274\", arrowsize=0.7];\n";
  for (std::int32_t i = 0; i < std::ssize(problem.tensors); ++i)
    if (!at(makers, TensorId{i})) out += storage_node(problem, TensorId{i});
  for (std::int32_t v = 0; v < std::ssize(problem.operations); ++v)
    out += operation_node(problem, OperationId{v}, use);
  for (std::int32_t v = 0; v < std::ssize(problem.operations); ++v)
    for (const TensorId input : at(problem.operations, OperationId{v}).inputs)
      out += arrow(problem, input, at(makers, input), OperationId{v}, use);
  return out + "}\n";
}

}  // namespace poet
