#include "poet/measure/operation_inputs.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "poet/base/check.h"
#include "poet/runtime/step.h"

namespace poet {
namespace {

// Numbers without a visible pattern (a multiplicative generator modulo 2^64, upper bits).
class Sequence {
 public:
  explicit Sequence(std::uint64_t start) : state_(2 * start + 1) {}
  std::uint32_t next() {
    state_ *= 6364136223846793005ULL;
    return static_cast<std::uint32_t>(state_ >> 32);
  }

 private:
  std::uint64_t state_;
};

enum class Sign { Either, Positive };

// What an operator's numbers must be like.
struct Numbers {
  float least = 0.25F;
  float range = 1;
  Sign sign = Sign::Either;
};

Numbers numbers_for(Operator kind) {
  switch (kind) {
    case Operator::Sqrt:
    case Operator::SqrtGradient:
    case Operator::Log:
    case Operator::LogGradient:
    case Operator::Pow:
    case Operator::PowBaseGradient:
    case Operator::PowExponentGradient:
    case Operator::BatchNorm:
    case Operator::BatchNormGradient:
    case Operator::BatchNormInference:
    case Operator::BatchNormInferenceGradient:
    case Operator::RunningStatistics:
    case Operator::LayerNormGradient:
    case Operator::GroupNormGradient:
    case Operator::ReduceL2Gradient:
    case Operator::Adam:
    case Operator::SumOfPartials:
    case Operator::ClipScale:
      return {.sign = Sign::Positive};
    // A product of many numbers must neither vanish nor overflow.
    case Operator::ReduceProduct:
    case Operator::ReduceProductGradient:
      return {.least = 1, .range = 0x1p-20F, .sign = Sign::Positive};
    default:
      return {};
  }
}

// The extent that labels or indices stay below, where input `position` is one of those.
std::optional<std::int64_t> index_range(const OperationTypes& types, std::size_t position) {
  const auto along_axis = [&types](const TensorType& table) {
    return table.shape[static_cast<std::size_t>(std::get<AxisAttributes>(types.attributes).axis)];
  };
  switch (types.kind) {
    case Operator::SoftmaxCrossEntropy:
    case Operator::SoftmaxCrossEntropyGradient:
    case Operator::NegativeLogLikelihood:
      if (position == 1) return types.inputs[0].shape[1];
      break;
    case Operator::NegativeLogLikelihoodGradient:
      if (position == 0) return types.outputs[0].shape[1];
      break;
    case Operator::Gather:
      if (position == 1) return along_axis(types.inputs[0]);
      break;
    case Operator::GatherGradient:
      if (position == 0) return along_axis(types.outputs[0]);
      break;
    default:
      break;
  }
  return std::nullopt;
}

bool takes_step(Operator kind) {
  switch (kind) {
    case Operator::Dropout:
    case Operator::DropoutGradient:
    case Operator::Sgd:
    case Operator::Velocity:
    case Operator::Nesterov:
    case Operator::Adam:
    case Operator::WeightUpdate:
      return true;
    default:
      return false;
  }
}

template <typename T>
void put(std::span<std::byte> bytes, std::size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

void fill_floats(std::span<std::byte> bytes, const Numbers& numbers, Sequence& sequence) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(float); ++i) {
    const std::uint32_t draw = sequence.next();
    const float part = static_cast<float>(draw >> 9) * 0x1p-23F;  // [0, 1)
    const float value = numbers.least + numbers.range * part;
    const bool negative = numbers.sign == Sign::Either && (draw & 1U) != 0;
    put(bytes, i, negative ? -value : value);
  }
}

template <typename T>
void fill_whole(std::span<std::byte> bytes, std::int64_t range, Sequence& sequence) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i)
    put(bytes, i, static_cast<T>(static_cast<std::int64_t>(sequence.next()) % range));
}

// The tenth step of a run, with Adam's corrections for its default constants.
void fill_step(std::span<std::byte> bytes) {
  const poet_step_words step{.seed_low = 1,
                             .seed_high = 0,
                             .step = 10,
                             .micro_batch = 0,
                             .learning_rate = 1e-3F,
                             .first_correction = 0.6513F,
                             .second_correction = 0.00996F,
                             .loss_scale = 1};
  POET_CHECK(bytes.size() == sizeof(step));
  std::memcpy(bytes.data(), &step, sizeof(step));
}

}  // namespace

void fill_inputs(const OperationTypes& types, std::span<const std::span<std::byte>> inputs) {
  POET_CHECK(inputs.size() == types.inputs.size());
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const TensorType& type = types.inputs[k];
    Sequence sequence(k + 1);
    const std::int64_t range = index_range(types, k).value_or(100);
    if (type == step_type() && takes_step(types.kind))
      fill_step(inputs[k]);
    else if (type.element == ElementType::Float32)
      fill_floats(inputs[k], numbers_for(types.kind), sequence);
    else if (type.element == ElementType::Int64)
      fill_whole<std::int64_t>(inputs[k], range, sequence);
    else if (type.element == ElementType::Int32)
      fill_whole<std::int32_t>(inputs[k], range, sequence);
    else
      fill_whole<std::uint8_t>(inputs[k], 2, sequence);
  }
}

}  // namespace poet
