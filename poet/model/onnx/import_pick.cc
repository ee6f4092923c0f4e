#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "poet/model/constant_folding.h"
#include "poet/model/onnx/calculated_picks.h"
#include "poet/model/onnx/operators.h"

// Values by lists of places that are known before the network runs: the places become those of
// rows, which one gather picks. What is scattered is gathered too: each row of the result is told
// which update it gets, if any. Triangles are a choice by a constant mask, running sums a few
// additions. Places that the network calculates have operators of their own.

namespace poet {
namespace {

using Places = std::vector<std::int64_t>;

// Rows of `inner` values: x as (rows, inner), and the row that each pick means.
struct Rows {
  std::int64_t count = 1;
  std::int64_t inner = 1;
  Places picks = {};
};

constexpr const char* kKnownIndices = "its indices";

std::optional<std::int64_t> place_in(std::int64_t index, std::int64_t extent) {
  if (index < -extent || index >= extent) return std::nullopt;
  return index < 0 ? index + extent : index;
}

Places known_indices(NodeImport& node, int i) {
  if (node.failed()) return {};
  return node.known_wholes(i, kKnownIndices);
}

bool are_calculated(NodeImport& node) {
  return !node.failed() && node.constant(1) == nullptr;
}

void refuse_index(NodeImport& node, std::int64_t index, std::int64_t extent) {
  node.refuse(fmt::format("its index {} is not one of {} places", index, extent));
}

// Index (..., j, ...) of the indices means that place with the axis' coordinate replaced.
Rows rows_along_axis(NodeImport& node, std::int64_t axis) {
  const Shape shape = node.shape(0);
  const Shape given = node.shape(1);
  const Places indices = known_indices(node, 1);
  Rows rows{.count = value_count(shape)};
  if (!node.failed() && given.size() != shape.size())
    node.refuse(fmt::format("its indices {} have not the dimensions of {}", to_text(given),
                            to_text(shape)));
  if (node.failed()) return rows;
  const auto at_axis = static_cast<std::size_t>(axis);
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (d != at_axis && given[d] > shape[d])
      node.refuse(fmt::format("its indices {} are larger than {}", to_text(given), to_text(shape)));
  Places coordinates(shape.size());
  for (const std::int64_t index : indices) {
    const std::optional<std::int64_t> place = place_in(index, shape[at_axis]);
    if (!place) {
      refuse_index(node, index, shape[at_axis]);
      return rows;
    }
    std::int64_t row = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
      row = row * shape[d] + (d == at_axis ? *place : coordinates[d]);
    rows.picks.push_back(row);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++coordinates[d] < given[d]) break;
      coordinates[d] = 0;
    }
  }
  return rows;
}

// The last dimension of the indices holds coordinates in the dimensions behind the `batch` first
// ones, which both have.
Rows rows_of_coordinates(NodeImport& node, std::int64_t batch) {
  const Shape shape = node.shape(0);
  const Shape given = node.shape(1);
  const Places indices = known_indices(node, 1);
  Rows rows = {};
  const auto before = static_cast<std::size_t>(batch);
  const std::size_t most = std::min(shape.size(), given.empty() ? 0 : given.size() - 1);
  if (!node.failed() && (given.empty() || batch < 0 || before > most || given.back() < 1 ||
                         before + static_cast<std::size_t>(given.back()) > shape.size() ||
                         !std::equal(shape.begin(), shape.begin() + batch, given.begin())))
    node.refuse(fmt::format("its indices {} do not fit {}", to_text(given), to_text(shape)));
  if (node.failed()) return rows;
  const auto width = static_cast<std::size_t>(given.back());
  const std::size_t depth = before + width;
  rows.count = value_count({shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(depth)});
  rows.inner = value_count({shape.begin() + static_cast<std::ptrdiff_t>(depth), shape.end()});
  const std::int64_t batches = value_count({shape.begin(), shape.begin() + batch});
  const auto picks = static_cast<std::int64_t>(indices.size() / width);
  for (std::int64_t pick = 0; pick < picks; ++pick) {
    std::int64_t row = pick / (picks / batches);
    for (std::size_t d = 0; d < width; ++d) {
      const std::int64_t extent = shape[before + d];
      const std::int64_t index = indices[static_cast<std::size_t>(pick) * width + d];
      const std::optional<std::int64_t> place = place_in(index, extent);
      if (!place) {
        refuse_index(node, index, extent);
        return rows;
      }
      row = row * extent + *place;
    }
    rows.picks.push_back(row);
  }
  return rows;
}

TensorId list_of(NodeImport& node, const Places& places) {
  return node.known(
      constant_of({{ElementType::Int32, {static_cast<std::int64_t>(places.size())}}, places}),
      "places");
}

void output_picked(NodeImport& node, const Rows& rows, Shape shape) {
  if (node.failed()) return;
  if (rows.picks.empty()) return node.refuse("picks nothing");
  const TensorId x = node.reshaped(node.tensor(0), {rows.count, rows.inner});
  const TensorId y = node.add(Operator::Gather, AxisAttributes{0}, {x, list_of(node, rows.picks)});
  if (!node.failed()) node.output(0, node.reshaped(y, shape));
}

void fold_picks(NodeImport& node, const Rows& rows, Shape shape) {
  KnownArray x = node.array(0);
  if (node.failed()) return;
  x.type.shape = {rows.count, rows.inner};
  Result<KnownArray> y = fold_gather(x, whole_array(rows.picks), 0);
  if (!y.ok()) return node.refuse(y.error().message);
  y->type.shape = shape;
  node.output(0, *y);
}

Rows read_elements(NodeImport& node) {
  return rows_along_axis(node, node.axis(node.whole("axis", 0), node.rank(0)));
}

void import_gather_elements(NodeImport& node) {
  node.expect_inputs(2, 2);
  if (are_calculated(node)) return import_calculated_gather_elements(node);
  const Rows rows = read_elements(node);
  output_picked(node, rows, node.shape(1));
}

void fold_gather_elements(NodeImport& node) {
  node.expect_inputs(2, 2);
  const Rows rows = read_elements(node);
  fold_picks(node, rows, node.shape(1));
}

struct GatherNd {
  Rows rows = {};
  Shape shape = {};
};

GatherNd read_gather_nd(NodeImport& node) {
  const std::int64_t batch = node.whole("batch_dims", 0);
  GatherNd gather{.rows = rows_of_coordinates(node, batch), .shape = node.shape(1)};
  const Shape x = node.shape(0);
  if (node.failed()) return gather;
  const std::int64_t depth = batch + gather.shape.back();
  gather.shape.pop_back();
  gather.shape.insert(gather.shape.end(), x.begin() + depth, x.end());
  return gather;
}

void import_gather_nd(NodeImport& node) {
  node.expect_inputs(2, 2);
  if (are_calculated(node)) return import_calculated_gather_nd(node);
  const GatherNd gather = read_gather_nd(node);
  output_picked(node, gather.rows, gather.shape);
}

void fold_gather_nd(NodeImport& node) {
  node.expect_inputs(2, 2);
  const GatherNd gather = read_gather_nd(node);
  fold_picks(node, gather.rows, gather.shape);
}

// --- Scattered

// Of the picks not yet done, the last one of each row: which update the row gets, and whether.
struct Round {
  Places updates;
  Places is_hit;
};

// One round for each time that the same row is hit; where updates replace values, the last alone.
std::vector<Round> rounds_of(NodeImport& node, const Rows& rows, bool replaces) {
  constexpr std::size_t kMostRounds = 64;
  std::vector<Round> rounds;
  Places hits(static_cast<std::size_t>(rows.count));
  for (std::size_t pick = 0; pick < rows.picks.size(); ++pick) {
    const auto row = static_cast<std::size_t>(rows.picks[pick]);
    const std::size_t round = replaces ? 0 : static_cast<std::size_t>(hits[row]++);
    if (round == kMostRounds) {
      node.refuse(fmt::format("its indices name one place more than {} times", kMostRounds),
                  ErrorCode::Unsupported);
      return {};
    }
    if (round == rounds.size())
      rounds.push_back({Places(static_cast<std::size_t>(rows.count)),
                        Places(static_cast<std::size_t>(rows.count))});
    rounds[round].updates[row] = static_cast<std::int64_t>(pick);
    rounds[round].is_hit[row] = 1;
  }
  return rounds;
}

std::optional<Operator> reduction_of(NodeImport& node) {
  const std::string reduction = node.text("reduction", "none");
  if (reduction == "add") return Operator::Add;
  if (reduction == "mul") return Operator::Mul;
  if (reduction == "max") return Operator::Max;
  if (reduction == "min") return Operator::Min;
  if (reduction != "none") node.refuse("reduction must be none, add, mul, max or min");
  return std::nullopt;
}

void output_scattered(NodeImport& node, const Rows& rows, Shape updates_shape) {
  const std::optional<Operator> reduction = reduction_of(node);
  if (!node.failed() && node.shape(2) != updates_shape)
    node.refuse(fmt::format("its updates must be {}, not {}", to_text(updates_shape),
                            to_text(node.shape(2))));
  const Shape shape = node.shape(0);
  if (node.failed()) return;
  if (rows.count > kLargestKnownArray)
    return node.refuse(fmt::format("places updates among more than {} rows", kLargestKnownArray),
                       ErrorCode::Unsupported);
  if (rows.picks.empty()) return node.output_input(0, 0);
  TensorId y = node.reshaped(node.tensor(0), {rows.count, rows.inner});
  const TensorId updates =
      node.reshaped(node.tensor(2), {static_cast<std::int64_t>(rows.picks.size()), rows.inner});
  for (const Round& round : rounds_of(node, rows, !reduction)) {
    const TensorId mask =
        node.known(constant_of({{ElementType::Bool, {rows.count, 1}}, round.is_hit}), "places");
    TensorId update =
        node.add(Operator::Gather, AxisAttributes{0}, {updates, list_of(node, round.updates)});
    if (reduction) update = node.add(*reduction, std::monostate{}, {y, update});
    y = node.add(Operator::Where, std::monostate{}, {mask, update, y});
  }
  if (!node.failed()) node.output(0, node.reshaped(y, shape));
}

void import_scatter_elements(NodeImport& node) {
  node.expect_inputs(3, 3);
  if (are_calculated(node)) return import_calculated_scatter_elements(node);
  const Rows rows = rows_along_axis(node, node.axis(node.whole("axis", 0), node.rank(0)));
  output_scattered(node, rows, node.shape(1));
}

void import_scatter_nd(NodeImport& node) {
  node.expect_inputs(3, 3);
  if (are_calculated(node)) return import_calculated_scatter_nd(node);
  const Rows rows = rows_of_coordinates(node, 0);
  Shape updates = node.shape(1);
  const Shape x = node.shape(0);
  if (node.failed()) return;
  const std::int64_t depth = updates.back();
  updates.pop_back();
  updates.insert(updates.end(), x.begin() + depth, x.end());
  output_scattered(node, rows, updates);
}

// --- Triangles

// What stays, over the last two dimensions.
KnownArray triangle(NodeImport& node) {
  node.expect_inputs(1, 2);
  const Shape shape = node.shape(0);
  const bool upper = node.flag("upper", true);
  std::int64_t k = 0;
  if (node.has_input(1)) {
    const std::vector<std::int64_t> given = node.known_wholes(1, "its k");
    if (given.size() != 1) node.refuse("its k must be one number");
    if (!given.empty()) k = std::clamp<std::int64_t>(given[0], -kMaxValues, kMaxValues);
  }
  if (!node.failed() && shape.size() < 2)
    node.refuse(fmt::format("takes matrices, not {}", to_text(shape)));
  if (node.failed()) return {};
  const std::int64_t rows = shape[shape.size() - 2];
  const std::int64_t columns = shape.back();
  if (rows * columns > kLargestKnownArray) {
    node.refuse(fmt::format("has a triangle of more than {} values", kLargestKnownArray),
                ErrorCode::Unsupported);
    return {};
  }
  std::vector<std::int64_t> stays;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      stays.push_back((upper ? column - row >= k : column - row <= k) ? 1 : 0);
  return {{ElementType::Bool, {rows, columns}}, std::move(stays)};
}

void import_triangle(NodeImport& node) {
  const KnownArray stays = triangle(node);
  if (node.failed()) return;
  const TensorId mask = node.known(constant_of(stays), "triangle");
  node.output(0,
              node.add(Operator::Where, std::monostate{}, {mask, node.tensor(0), node.scalar(0)}));
}

void fold_triangle(NodeImport& node) {
  const KnownArray stays = triangle(node);
  const KnownArray x = node.array(0);
  if (node.failed()) return;
  KnownArray zero{{x.type.element, {}}, std::vector<std::int64_t>{0}};
  if (x.is_float()) zero.values = std::vector<float>{0};
  const Result<KnownArray> result = fold_where(stays, x, zero);
  if (!result.ok()) return node.refuse(result.error().message);
  node.output(0, *result);
}

// --- Running sums

struct RunningSum {
  std::size_t axis = 0;
  bool exclusive = false;
  bool reverse = false;
};

RunningSum read_running_sum(NodeImport& node) {
  node.expect_inputs(2, 2);
  RunningSum sum{.exclusive = node.flag("exclusive", false),
                 .reverse = node.flag("reverse", false)};
  const std::vector<std::int64_t> axis = node.known_wholes(1, "its axis");
  if (!node.failed() && axis.size() != 1) node.refuse("its axis must be one number");
  if (!node.failed()) sum.axis = static_cast<std::size_t>(node.axis(axis[0], node.rank(0)));
  return sum;
}

// x with its values moved by so many places along the axis, and zeros where none come from.
TensorId moved(NodeImport& node, const RunningSum& sum, TensorId x, std::int64_t places) {
  if (node.failed()) return x;
  const std::size_t rank = node.shape_of(x).size();
  PadAttributes pad{.begin = std::vector<std::int64_t>(rank, 0),
                    .end = std::vector<std::int64_t>(rank, 0)};
  pad.begin[sum.axis] = sum.reverse ? -places : places;
  pad.end[sum.axis] = -pad.begin[sum.axis];
  return node.add(Operator::Pad, pad, {x});
}

// Sums of 1, 2, 4 ... values, each of two shorter ones.
void import_running_sum(NodeImport& node) {
  const RunningSum sum = read_running_sum(node);
  TensorId y = node.tensor(0);
  if (node.failed()) return;
  const std::int64_t extent = node.shape_of(y)[sum.axis];
  if (sum.exclusive && extent == 1) return node.output(0, Constant{node.type_of(y), FilledWith{0}});
  if (sum.exclusive) y = moved(node, sum, y, 1);
  for (std::int64_t places = 1; places < extent; places *= 2)
    y = node.add(Operator::Add, std::monostate{}, {y, moved(node, sum, y, places)});
  if (!node.failed() && y == node.tensor(0)) return node.output_input(0, 0);
  node.output(0, y);
}

void fold_running_sum(NodeImport& node) {
  const RunningSum sum = read_running_sum(node);
  const KnownArray x = node.array(0);
  if (node.failed()) return;
  const std::int64_t extent = x.type.shape[sum.axis];
  KnownArray result = x;
  std::visit(
      [&](auto& values) {
        const std::int64_t inner = value_count(
            {x.type.shape.begin() + static_cast<std::ptrdiff_t>(sum.axis) + 1, x.type.shape.end()});
        const auto count = static_cast<std::int64_t>(values.size());
        const auto before = values;
        for (std::int64_t line = 0; extent > 0 && line < count / extent; ++line) {
          const std::int64_t start = line / inner * inner * extent + line % inner;
          typename std::decay_t<decltype(values)>::value_type total = 0;
          for (std::int64_t i = 0; i < extent; ++i) {
            const std::int64_t place = start + (sum.reverse ? extent - 1 - i : i) * inner;
            const auto here = before[static_cast<std::size_t>(place)];
            if (sum.exclusive) values[static_cast<std::size_t>(place)] = total;
            if constexpr (std::is_same_v<decltype(total), std::int64_t>) {
              if (__builtin_add_overflow(total, here, &total))
                return node.refuse("calculates a sum that does not fit in 64 bits");
            } else {
              total += here;
            }
            if (!sum.exclusive) values[static_cast<std::size_t>(place)] = total;
          }
        }
      },
      result.values);
  if (node.failed()) return;
  // Sums wrap to the element type, as additions do.
  node.output(0, result.is_float() ? result : array_of(constant_of(result)));
}

}  // namespace

std::vector<OnnxOperator> pick_onnx_operators() {
  return {{"GatherElements", import_gather_elements, fold_gather_elements},
          {"GatherND", import_gather_nd, fold_gather_nd},
          {"ScatterElements", import_scatter_elements},
          {"Scatter", import_scatter_elements},
          {"ScatterND", import_scatter_nd},
          {"Trilu", import_triangle, fold_triangle},
          {"CumSum", import_running_sum, fold_running_sum}};
}

}  // namespace poet
