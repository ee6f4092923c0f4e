#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "poet/base/message_text.h"
#include "poet/model/onnx/operators.h"

// Einsum, from the left: diagonals are slices with a step, what stands in one operand alone is
// summed, and two operands are a product of matrices (with what both keep as a batch), or of values
// where nothing is summed.

namespace poet {
namespace {

// A letter; or, of the dimensions that "..." stands for, -1 for the last, -2 for the one before.
using Label = int;
using Labels = std::vector<Label>;

struct Operand {
  TensorId tensor{};
  Labels labels = {};
};

bool has(const Labels& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

constexpr std::string_view kEllipsis = "...";

bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

// The labels of one operand, or of the output: `dimensions` in its "...".
std::optional<Labels> labels_of(std::string_view term, std::int64_t dimensions) {
  Labels labels = {};
  bool has_ellipsis = false;
  while (!term.empty()) {
    if (term.starts_with(kEllipsis) && !has_ellipsis) {
      for (std::int64_t d = dimensions; d > 0; --d) labels.push_back(static_cast<Label>(-d));
      term.remove_prefix(kEllipsis.size());
      has_ellipsis = true;
    } else if (is_letter(term.front())) {
      labels.push_back(term.front());
      term.remove_prefix(1);
    } else {
      return std::nullopt;
    }
  }
  return labels;
}

struct Equation {
  std::vector<std::string> terms;
  std::optional<std::string> output;
};

Equation read_equation(NodeImport& node) {
  std::string text = node.text("equation", "");
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  Equation equation;
  const std::size_t arrow = text.find("->");
  if (arrow != std::string::npos) equation.output = text.substr(arrow + 2);
  std::string left = text.substr(0, arrow);
  for (std::size_t comma = left.find(','); comma != std::string::npos; comma = left.find(',')) {
    equation.terms.push_back(left.substr(0, comma));
    left.erase(0, comma + 1);
  }
  equation.terms.push_back(left);
  if (static_cast<int>(equation.terms.size()) != node.input_count())
    node.refuse(fmt::format("its equation has {} operands for {} inputs", equation.terms.size(),
                            node.input_count()));
  return equation;
}

// Without "->" the output has what stands once, by the alphabet, behind what "..." stands for.
Labels usual_output(const std::vector<Operand>& operands) {
  std::map<Label, int> counts;
  for (const Operand& operand : operands)
    for (const Label label : operand.labels) ++counts[label];
  Labels output;
  for (const auto& [label, count] : counts)
    if (label < 0 || count == 1) output.push_back(label);
  return output;
}

class Sum {
 public:
  explicit Sum(NodeImport& node) : node_(node) {}

  void run() {
    const Equation equation = read_equation(node_);
    if (node_.failed() || !read_operands(equation)) return;
    if (!read_output(equation)) return;
    for (Operand& operand : operands_) tidy(operand);
    for (Operand& operand : operands_) operand = summed(operand, labels_beside(operand));
    while (operands_.size() > 1 && !node_.failed()) {
      const Operand product = multiplied(operands_[0], operands_[1]);
      operands_.erase(operands_.begin());
      operands_[0] = product;
    }
    if (node_.failed()) return;
    node_.output(0, ordered(operands_[0], output_));
  }

 private:
  bool refuse(const std::string& what) {
    node_.refuse("its equation " + in_quotes(node_.text("equation", "")) + " " + what);
    return false;
  }

  bool read_operands(const Equation& equation) {
    for (int i = 0; i < node_.input_count(); ++i) {
      const std::string& term = equation.terms[static_cast<std::size_t>(i)];
      const auto letters =
          static_cast<std::int64_t>(std::count_if(term.begin(), term.end(), is_letter));
      const Shape shape = node_.shape(i);
      const auto rank = static_cast<std::int64_t>(shape.size());
      const std::optional<Labels> labels = labels_of(term, rank - letters);
      if (!labels || static_cast<std::int64_t>(labels->size()) != rank)
        return refuse(fmt::format("does not fit input {}, {}", i, to_text(shape)));
      for (std::size_t d = 0; d < labels->size(); ++d) {
        std::int64_t& extent = extents_.emplace((*labels)[d], 1).first->second;
        if (shape[d] != 1 && extent != 1 && extent != shape[d])
          return refuse(fmt::format("gives one letter the extents {} and {}", extent, shape[d]));
        if (shape[d] != 1) extent = shape[d];
      }
      operands_.push_back({node_.weight(i), *labels});
    }
    return !node_.failed();
  }

  bool read_output(const Equation& equation) {
    std::int64_t dimensions = 0;
    for (const auto& [label, extent] : extents_)
      dimensions = std::max<std::int64_t>(dimensions, -label);
    if (!equation.output) {
      output_ = usual_output(operands_);
      return true;
    }
    const std::optional<Labels> labels = labels_of(*equation.output, dimensions);
    if (!labels) return refuse("has an output that is not letters");
    output_ = *labels;
    for (std::size_t d = 0; d < output_.size(); ++d) {
      if (extents_.count(output_[d]) == 0) return refuse("makes what no input has");
      if (std::count(output_.begin(), output_.end(), output_[d]) > 1)
        return refuse("has a letter twice in its output");
    }
    return true;
  }

  std::int64_t extent_of(Label label) const { return extents_.at(label); }

  Shape shape_of(const Labels& labels) const {
    Shape shape;
    for (const Label label : labels) shape.push_back(extent_of(label));
    return shape;
  }

  // Each label once, and all of the common extent.
  void tidy(Operand& operand) {
    take_diagonals(operand);
    if (node_.failed()) return;
    const Shape shape = node_.shape_of(operand.tensor);
    Operand kept{operand.tensor, {}};
    Shape extents;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      // An extent of 1 beside a larger one is the same for all places of that.
      if (shape[d] != extent_of(operand.labels[d])) continue;
      kept.labels.push_back(operand.labels[d]);
      extents.push_back(shape[d]);
    }
    kept.tensor = node_.reshaped(operand.tensor, extents);
    operand = kept;
  }

  // Of the output and all other operands.
  Labels labels_beside(const Operand& operand) const {
    Labels others = output_;
    for (const Operand& other : operands_)
      if (&other != &operand) others.insert(others.end(), other.labels.begin(), other.labels.end());
    return others;
  }

  void take_diagonals(Operand& operand) {
    for (std::size_t a = 0; a < operand.labels.size() && !node_.failed(); ++a) {
      const auto again = std::find(operand.labels.begin() + static_cast<std::ptrdiff_t>(a) + 1,
                                   operand.labels.end(), operand.labels[a]);
      if (again == operand.labels.end()) continue;
      const auto b = static_cast<std::size_t>(again - operand.labels.begin());
      const Shape shape = node_.shape_of(operand.tensor);
      if (shape[a] != shape[b]) {
        refuse(fmt::format("takes a diagonal of {} by {}", shape[a], shape[b]));
        return;
      }
      std::vector<std::int64_t> permutation;
      Labels labels;
      Shape flat;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (d == a || d == b) continue;
        permutation.push_back(static_cast<std::int64_t>(d));
        labels.push_back(operand.labels[d]);
        flat.push_back(shape[d]);
      }
      permutation.push_back(static_cast<std::int64_t>(a));
      permutation.push_back(static_cast<std::int64_t>(b));
      labels.push_back(operand.labels[a]);
      flat.push_back(shape[a] * shape[a]);
      SliceAttributes diagonal{.start = std::vector<std::int64_t>(flat.size(), 0),
                               .step = std::vector<std::int64_t>(flat.size(), 1),
                               .extent = flat};
      if (shape[a] > 1) diagonal.step.back() = shape[a] + 1;
      diagonal.extent.back() = shape[a];
      const TensorId turned = node_.transposed(operand.tensor, permutation);
      operand.tensor = node_.add(Operator::Slice, diagonal, {node_.reshaped(turned, flat)});
      operand.labels = labels;
      a = static_cast<std::size_t>(-1);  // again from the beginning: dimensions have moved
    }
  }

  Operand summed(const Operand& operand, const Labels& kept) {
    ReduceAttributes over{.axes = {}, .keeps_dimensions = false};
    Operand result{operand.tensor, {}};
    for (std::size_t d = 0; d < operand.labels.size(); ++d) {
      if (has(kept, operand.labels[d]))
        result.labels.push_back(operand.labels[d]);
      else
        over.axes.push_back(static_cast<std::int64_t>(d));
    }
    if (!over.axes.empty()) result.tensor = node_.add(Operator::ReduceSum, over, {operand.tensor});
    return result;
  }

  TensorId ordered(const Operand& operand, const Labels& order) {
    std::vector<std::int64_t> permutation;
    for (const Label label : order)
      permutation.push_back(std::find(operand.labels.begin(), operand.labels.end(), label) -
                            operand.labels.begin());
    return node_.transposed(operand.tensor, permutation);
  }

  Operand multiplied(const Operand& a, const Operand& b) {
    Labels later = output_;
    for (std::size_t i = 2; i < operands_.size(); ++i)
      later.insert(later.end(), operands_[i].labels.begin(), operands_[i].labels.end());
    Labels batch, summed, left, right;
    for (const Label label : a.labels)
      (!has(b.labels, label) ? left : has(later, label) ? batch : summed).push_back(label);
    for (const Label label : b.labels)
      if (!has(a.labels, label)) right.push_back(label);
    Operand result{{}, batch};
    result.labels.insert(result.labels.end(), left.begin(), left.end());
    result.labels.insert(result.labels.end(), right.begin(), right.end());
    result.tensor = summed.empty() ? by_values(a, b, batch, left, right)
                                   : by_matrices(a, b, batch, summed, left, right);
    return result;
  }

  static Labels joined(std::initializer_list<const Labels*> lists) {
    Labels labels;
    for (const Labels* const list : lists) labels.insert(labels.end(), list->begin(), list->end());
    return labels;
  }

  TensorId by_values(const Operand& a, const Operand& b, const Labels& batch, const Labels& left,
                     const Labels& right) {
    Shape shape_a = shape_of(joined({&batch, &left}));
    shape_a.insert(shape_a.end(), right.size(), 1);
    Shape shape_b = shape_of(batch);
    shape_b.insert(shape_b.end(), left.size(), 1);
    for (const Label label : right) shape_b.push_back(extent_of(label));
    const TensorId x = node_.reshaped(ordered(a, joined({&batch, &left})), shape_a);
    const TensorId y = node_.reshaped(ordered(b, joined({&batch, &right})), shape_b);
    return node_.add(Operator::Mul, std::monostate{}, {x, y});
  }

  // A matrix of `rows` by `columns` for each of the batch, or the transposed one where the operand
  // lies like that.
  struct Matrix {
    TensorId tensor{};
    bool transposed = false;
  };

  Matrix matrix(const Operand& operand, const Labels& batch, const Labels& rows,
                const Labels& columns) {
    const bool transposed = operand.labels == joined({&batch, &columns, &rows}) && !rows.empty();
    const Labels& first = transposed ? columns : rows;
    const Labels& second = transposed ? rows : columns;
    const TensorId turned = ordered(operand, joined({&batch, &first, &second}));
    Shape shape = batch.empty() ? Shape{} : Shape{value_count(shape_of(batch))};
    shape.push_back(value_count(shape_of(first)));
    shape.push_back(value_count(shape_of(second)));
    return {node_.reshaped(turned, shape), transposed};
  }

  TensorId by_matrices(const Operand& a, const Operand& b, const Labels& batch,
                       const Labels& summed, const Labels& left, const Labels& right) {
    const Matrix x = matrix(a, batch, left, summed);
    const Matrix y = matrix(b, batch, summed, right);
    const TensorId product =
        node_.add(Operator::MatMul,
                  MatMulAttributes{.transpose_a = x.transposed, .transpose_b = y.transposed},
                  {x.tensor, y.tensor});
    return node_.failed() ? product
                          : node_.reshaped(product, shape_of(joined({&batch, &left, &right})));
  }

  NodeImport& node_;
  std::vector<Operand> operands_ = {};
  std::map<Label, std::int64_t> extents_ = {};
  Labels output_ = {};
};

void import_einsum(NodeImport& node) {
  if (node.input_count() < 1) node.expect_inputs(1, 1 << 20);
  Sum(node).run();
}

}  // namespace

std::vector<OnnxOperator> einsum_onnx_operators() {
  return {{"Einsum", import_einsum}};
}

}  // namespace poet
