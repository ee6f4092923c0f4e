#include "poet/model/recurrent_pieces.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "poet/graph/operator_table.h"

namespace poet {

TensorId row_product(Composer& to, TensorId x, TensorId weights, std::optional<TensorId> plus) {
  std::vector<TensorId> inputs{x, weights};
  if (plus) inputs.push_back(*plus);
  return to.add(Operator::MatMul, MatMulAttributes{.transpose_b = true}, std::move(inputs));
}

TensorId next_cell(Composer& to, const LstmGates& gates, TensorId before) {
  const auto binary = [&to](Operator kind, TensorId a, TensorId b) {
    return to.add(kind, std::monostate{}, {a, b});
  };
  const TensorId kept = binary(Operator::Mul, gates.forget, before);
  return binary(Operator::Add, kept, binary(Operator::Mul, gates.in, gates.candidate));
}

namespace {

class Cutter {
 public:
  explicit Cutter(Composer& to) : to_(to) {
    const std::vector<GraphOperation>& operations = to.model().graph.operations;
    for (std::size_t i = 0; i < operations.size(); ++i)
      for (const TensorId output : operations[i].outputs) makers_[output] = i;
  }

  std::vector<TensorId> parts_of(TensorId x) {
    std::vector<TensorId> parts;
    if (!put_together(x, parts, 0)) cut_as_needed(x, parts);
    return parts;
  }

 private:
  std::int64_t extent(TensorId x) { return to_.failed() ? 1 : to_.shape_of(x).front(); }

  const GraphOperation* maker_of(TensorId x) const {
    const auto found = makers_.find(x);
    return found == makers_.end() ? nullptr : &to_.model().graph.operations[found->second];
  }

  // Whether it depends on something that may be trained.
  bool needs_gradient(TensorId x) const {
    std::set<TensorId> seen{x};
    std::vector<TensorId> waiting{x};
    while (!waiting.empty()) {
      const TensorId next = waiting.back();
      waiting.pop_back();
      if (at(to_.model().graph.tensors, next).role == TensorRole::Parameter) return true;
      const GraphOperation* const maker = maker_of(next);
      if (maker == nullptr) continue;
      for (const TensorId input : maker->inputs)
        if (seen.insert(input).second) waiting.push_back(input);
    }
    return false;
  }

  // Where x is a concatenation along its first dimension, or such a one under another shape behind
  // it: false where it is not.
  bool put_together(TensorId x, std::vector<TensorId>& parts, int depth) {
    constexpr int kMostDepth = 64;
    if (extent(x) == 1) {
      parts.push_back(x);
      return true;
    }
    if (maker_of(x) == nullptr || depth == kMostDepth) return false;
    const GraphOperation maker = *maker_of(x);  // a copy: operations are added below
    if (maker.kind == Operator::Concat && std::get<AxisAttributes>(maker.attributes).axis == 0) {
      for (const TensorId input : maker.inputs)
        if (!put_together(input, parts, depth + 1)) cut_as_needed(input, parts);
      return true;
    }
    if (!keeps_first(maker)) return false;
    std::vector<TensorId> inner;
    if (!put_together(maker.inputs[0], inner, depth + 1)) return false;
    Shape shape = to_.shape_of(x);
    shape.front() = 1;
    for (const TensorId part : inner)
      parts.push_back(maker.kind == Operator::Reshape
                          ? to_.reshaped(part, shape)
                          : to_.add(Operator::Transpose, maker.attributes, {part}));
    return true;
  }

  bool keeps_first(const GraphOperation& maker) {
    if (maker.kind == Operator::Transpose)
      return std::get<TransposeAttributes>(maker.attributes).permutation.front() == 0;
    if (maker.kind != Operator::Reshape) return false;
    const Shape& before = to_.shape_of(maker.inputs[0]);
    return !before.empty() && before.front() == extent(maker.outputs[0]);
  }

  void cut_as_needed(TensorId x, std::vector<TensorId>& parts) {
    cut(x, needs_gradient(x) ? 2 : extent(x), parts);
  }

  // Into `ways` pieces, and each of these again, down to single places.
  void cut(TensorId x, std::int64_t ways, std::vector<TensorId>& parts) {
    if (to_.failed() || extent(x) == 1) return parts.push_back(x);
    const Shape shape = to_.shape_of(x);
    for (std::int64_t k = 0; k < ways; ++k) {
      SliceAttributes slice{.start = std::vector<std::int64_t>(shape.size(), 0),
                            .step = std::vector<std::int64_t>(shape.size(), 1),
                            .extent = shape};
      slice.start.front() = k * shape.front() / ways;
      slice.extent.front() = (k + 1) * shape.front() / ways - slice.start.front();
      cut(to_.add(Operator::Slice, slice, {x}), ways, parts);
    }
  }

  Composer& to_;
  std::map<TensorId, std::size_t> makers_ = {};
};

}  // namespace

std::vector<TensorId> parts_along_first(Composer& to, TensorId x) {
  if (to.failed()) return {};
  return Cutter(to).parts_of(x);
}

TensorId joined_along_first(Composer& to, std::vector<TensorId> parts) {
  const auto most = static_cast<std::ptrdiff_t>(entry_of(Operator::Concat).most_inputs);
  while (parts.size() > 1) {
    std::vector<TensorId> joined;
    for (auto next = parts.begin(); next != parts.end();) {
      const auto end = std::distance(next, parts.end()) > most ? next + most : parts.end();
      joined.push_back(std::distance(next, end) == 1
                           ? *next
                           : to.add(Operator::Concat, AxisAttributes{0}, {next, end}));
      next = end;
    }
    parts = std::move(joined);
  }
  return parts.empty() ? TensorId{} : parts.front();
}

}  // namespace poet
