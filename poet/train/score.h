#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "poet/autodiff/training_options.h"
#include "poet/graph/tensor_type.h"

namespace poet {

// How well a network does on examples.
struct Score {
  double loss = 0;                        // mean over what was counted; NaN: nothing was
  std::optional<double> accuracy = {};    // with labels: the part that is told right
  std::optional<double> perplexity = {};  // of labels in sequences: exp(loss)
  std::optional<double> error = {};       // of squared errors: the root of their mean
  std::int64_t examples = 0;
  // The first whose outputs, targets or loss are infinite or no numbers: the mean is nothing then.
  std::optional<std::int64_t> not_finite = {};
};

// Adds up over batches. Losses are those of training without label smoothing.
class ScoreSum {
 public:
  ScoreSum(Loss loss, std::optional<std::int64_t> ignored_label)
      : loss_(loss), ignored_label_(ignored_label) {}

  // The first `examples` of a batch: outputs of the network, Float32 of shape `outputs`, and its
  // labels (Int64) or targets (Float32), as loss.h lays them out. With Loss::None the output is the
  // loss of the whole batch, and targets are not looked at.
  void add(const Shape& shape, std::span<const std::byte> outputs,
           std::span<const std::byte> targets, std::int64_t examples);

  Score score() const;

 private:
  void add_loss(double loss, std::int64_t example);
  void add_labels(const Shape& shape, std::span<const std::byte> outputs,
                  std::span<const std::byte> labels, std::int64_t examples);
  void add_values(std::span<const std::byte> outputs, std::span<const std::byte> targets,
                  std::size_t each, std::int64_t examples);

  Loss loss_;
  std::optional<std::int64_t> ignored_label_;
  double loss_sum_ = 0;
  std::int64_t counted_ = 0;
  std::int64_t right_ = 0;
  std::int64_t examples_ = 0;
  std::optional<std::int64_t> not_finite_ = {};
  bool is_of_sequences_ = false;
};

// Classes as loss.h has them: dimension 1 of (N, C, ...), the last of (N, S, C). Of row r of the
// batch's labels, class c is value `first + c * stride`.
struct ClassRows {
  std::int64_t rows = 0;
  std::int64_t classes = 0;
  std::int64_t inner = 1;  // labels of a picture (N, C, H, W): H * W; otherwise 1

  std::size_t place(std::int64_t row, std::int64_t label) const {
    return static_cast<std::size_t>((row / inner * classes + label) * inner + row % inner);
  }
};
ClassRows class_rows(const Shape& shape);

// The class with the highest value; the first of equal ones.
std::int64_t likeliest(const ClassRows& layout, std::span<const std::byte> outputs,
                       std::int64_t row);

}  // namespace poet
