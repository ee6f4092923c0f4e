#include "poet/model/onnx/calculated_picks.h"

#include <fmt/format.h>

namespace poet {
namespace {

// Whether updates are added; nothing, and a refusal, where they are put together in another way.
std::optional<bool> adds_updates(NodeImport& node) {
  const std::string reduction = node.text("reduction", "none");
  if (reduction == "none" || reduction == "add") return reduction == "add";
  node.refuse(fmt::format("POET has this operator only where its inputs are known before the "
                          "network runs, but for the values, or reduction is none or add, not {}",
                          reduction),
              ErrorCode::Unsupported);
  return std::nullopt;
}

}  // namespace

// Indices may have smaller extents than the values; those that no index names are not looked at.
void import_calculated_gather_elements(NodeImport& node) {
  const std::int64_t axis = node.axis(node.whole("axis", 0), node.rank(0));
  TensorId x = node.tensor(0);
  const TensorId indices = node.tensor(1);
  if (node.failed()) return;
  const Shape given = node.shape(1);
  const Shape shape = node.shape(0);
  for (std::size_t d = 0; d < std::min(shape.size(), given.size()); ++d)
    if (static_cast<std::int64_t>(d) != axis && given[d] < shape[d])
      x = node.sliced(x, d, 0, given[d]);
  node.output(0, node.add(Operator::GatherElements, AxisAttributes{axis}, {x, indices}));
}

// Of one coordinate in all of the values it is an ordinary gather.
void import_calculated_gather_nd(NodeImport& node) {
  const std::int64_t batch = node.whole("batch_dims", 0);
  const TensorId x = node.tensor(0);
  const TensorId indices = node.tensor(1);
  if (node.failed()) return;
  Shape places = node.shape(1);
  if (batch != 0 || places.empty() || places.back() != 1)
    return node.output(0, node.add(Operator::GatherNd, GatherNdAttributes{batch}, {x, indices}));
  places.pop_back();
  node.output(0,
              node.add(Operator::Gather, AxisAttributes{0}, {x, node.reshaped(indices, places)}));
}

void import_calculated_scatter_elements(NodeImport& node) {
  const std::int64_t axis = node.axis(node.whole("axis", 0), node.rank(0));
  const std::optional<bool> adds = adds_updates(node);
  if (!adds) return;
  node.output(0, node.add(Operator::ScatterElements, ScatterAttributes{axis, *adds},
                          {node.tensor(0), node.tensor(1), node.tensor(2)}));
}

// Rows of the first dimension: every value of a row has the row's index.
void import_calculated_scatter_nd(NodeImport& node) {
  const std::optional<bool> adds = adds_updates(node);
  const TensorId x = node.tensor(0);
  const TensorId updates = node.tensor(2);
  if (!adds || node.failed()) return;
  const Shape shape = node.shape(0);
  Shape picked = node.shape(1);
  if (shape.empty() || picked.empty() || picked.back() != 1)
    return node.refuse(
        "POET has this operator only where its inputs are known before the network runs, but for "
        "the values, or its indices are of the first dimension alone",
        ErrorCode::Unsupported);
  picked.pop_back();
  const std::int64_t picks = value_count(picked);
  const std::int64_t inner = value_count({shape.begin() + 1, shape.end()});
  picked.insert(picked.end(), shape.begin() + 1, shape.end());
  if (node.shape(2) != picked)
    return node.refuse(
        fmt::format("its updates must be {}, not {}", to_text(picked), to_text(node.shape(2))));
  const TensorId rows = node.repeated(node.reshaped(node.tensor(1), {picks, 1}), 1, inner);
  const TensorId y =
      node.add(Operator::ScatterElements, ScatterAttributes{0, *adds},
               {node.reshaped(x, {shape[0], inner}), rows, node.reshaped(updates, {picks, inner})});
  if (!node.failed()) node.output(0, node.reshaped(y, shape));
}

}  // namespace poet
