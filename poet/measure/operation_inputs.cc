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

// Whole numbers that are neither labels nor indices stay below it.
constexpr std::int64_t kMostWhole = 100;

template <typename T>
void put(std::span<std::byte> bytes, std::size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

void fill_floats(std::span<std::byte> bytes, const InputDomain& numbers, Sequence& sequence) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(float); ++i) {
    const std::uint32_t draw = sequence.next();
    const float part = static_cast<float>(draw >> 9) * 0x1p-23F;  // [0, 1)
    const float value = numbers.least + numbers.range * part;
    const bool negative = numbers.sign == InputDomain::Sign::Either && (draw & 1U) != 0;
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
  fill_inputs_from(entry_of(types.kind).domain, types, inputs);
}

void fill_inputs_from(const InputDomain& domain, const OperationTypes& types,
                      std::span<const std::span<std::byte>> inputs) {
  POET_CHECK(inputs.size() == types.inputs.size());
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const TensorType& type = types.inputs[k];
    Sequence sequence(k + 1);
    const std::optional<std::int64_t> extent =
        domain.index_extent == nullptr ? std::nullopt : domain.index_extent(types, k);
    const std::int64_t range = extent.value_or(kMostWhole);
    if (type == step_type() && domain.takes_step)
      fill_step(inputs[k]);
    else if (type.element == ElementType::Float32)
      fill_floats(inputs[k], domain, sequence);
    else if (type.element == ElementType::Int64)
      fill_whole<std::int64_t>(inputs[k], range, sequence);
    else if (type.element == ElementType::Int32)
      fill_whole<std::int32_t>(inputs[k], range, sequence);
    else
      fill_whole<std::uint8_t>(inputs[k], 2, sequence);
  }
}

}  // namespace poet
