// The kernels of oneDNN beside the reference kernels: every operator, and shapes of the operators
// that oneDNN has something for. Values are those of training (fill_inputs()).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "poet/kernels/evaluate.h"
#include "poet/measure/time_graph.h"
#include "poet/onednn/onednn_kernels.h"
#include "support/operator_cases.h"
#include "support/operator_shapes.h"

namespace poet {
namespace {

using testing::as_text;
using testing::operation_shapes;

using Arrays = std::vector<std::vector<std::byte>>;

constexpr std::size_t kLine = 64;

// Memory for a tensor, `offset` bytes behind a multiple of 64.
class Array {
 public:
  Array(std::int64_t size_bytes, std::size_t offset_bytes)
      : memory_(static_cast<std::size_t>(size_bytes) + 2 * kLine), size_bytes_(size_bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    begin_ = memory_.data() + (kLine - address % kLine) + offset_bytes;
  }
  std::byte* data() { return begin_; }
  std::span<std::byte> bytes() { return {begin_, static_cast<std::size_t>(size_bytes_)}; }

 private:
  std::vector<std::byte> memory_;
  std::int64_t size_bytes_;
  std::byte* begin_ = nullptr;
};

void fill_with_nan(std::span<std::byte> bytes) {
  const float nan = std::numeric_limits<float>::signaling_NaN();
  for (std::size_t i = 0; i + sizeof nan <= bytes.size(); i += sizeof nan)
    std::memcpy(&bytes[i], &nan, sizeof nan);
}

struct Placement {
  std::size_t offset_bytes = 0;            // of all arrays, behind a multiple of 64
  std::optional<SharedPlace> shared = {};  // this output lies where that input does
};

std::vector<Array> inputs_for(const OperationTypes& types, std::size_t offset_bytes) {
  std::vector<Array> arrays;
  std::vector<std::span<std::byte>> spans;
  for (const TensorType& type : types.inputs) arrays.emplace_back(size_bytes(type), offset_bytes);
  for (Array& array : arrays) spans.push_back(array.bytes());
  fill_inputs(types, spans);
  return arrays;
}

// The values of the outputs. What is not written, and the workspace, begins as NaNs.
Arrays outputs_of(const OperationTypes& types, const KernelSet& kernels,
                  const Placement& placement = {}) {
  std::vector<Array> inputs = inputs_for(types, placement.offset_bytes);
  std::vector<Array> outputs;
  for (const TensorType& type : types.outputs) {
    outputs.emplace_back(size_bytes(type), placement.offset_bytes);
    fill_with_nan(outputs.back().bytes());
  }
  std::vector<const void*> read;
  std::vector<void*> written;
  for (Array& input : inputs) read.push_back(input.data());
  for (Array& output : outputs) written.push_back(output.data());
  if (placement.shared)
    written[static_cast<std::size_t>(placement.shared->output)] =
        inputs[static_cast<std::size_t>(placement.shared->input)].data();
  const std::unique_ptr<ReadyOperation> operation = kernels.ready(types);
  Array workspace(operation->workspace_bytes(), placement.offset_bytes);
  fill_with_nan(workspace.bytes());
  operation->run(read, written, workspace.data());
  Arrays values;
  for (std::size_t k = 0; k < written.size(); ++k) {
    const auto* const begin = static_cast<const std::byte*>(written[k]);
    values.emplace_back(begin, begin + size_bytes(types.outputs[k]));
  }
  return values;
}

std::vector<double> numbers_in(const std::vector<std::byte>& bytes) {
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), floats.size() * sizeof(float));
  return {floats.begin(), floats.end()};
}

// The largest difference, as a part of the largest value.
double relative_error(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  const std::vector<double> x = numbers_in(a);
  const std::vector<double> y = numbers_in(b);
  double largest = 0;
  double difference = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i]) != std::isnan(y[i])) return std::numeric_limits<double>::infinity();
    if (std::isnan(x[i])) continue;
    largest = std::max({largest, std::abs(x[i]), std::abs(y[i])});
    difference = std::max(difference, std::abs(x[i] - y[i]));
  }
  return difference == 0 ? 0 : difference / largest;
}

std::unique_ptr<KernelSet> onednn(int threads) {
  return *onednn_kernels(threads);
}

class OnThreads : public ::testing::TestWithParam<int> {};

// Sums of some thousand products, each rounded to 2^-24: they drift by some 2^-24 sqrt(thousands).
constexpr double kRelativeError = 4e-6;

TEST_P(OnThreads, OnednnAgreesWithTheReferenceKernels) {
  const std::unique_ptr<KernelSet> fast = onednn(GetParam());
  for (const OperationTypes& types : operation_shapes()) {
    SCOPED_TRACE(as_text(types));
    const Arrays expected = outputs_of(types, plain_kernels());
    const Arrays made = outputs_of(types, *fast);
    for (std::size_t k = 0; k < made.size(); ++k) {
      if (types.outputs[k].element == ElementType::Float32)
        EXPECT_LT(relative_error(made[k], expected[k]), kRelativeError) << "output " << k;
      else
        EXPECT_EQ(made[k], expected[k]) << "output " << k;
    }
  }
}

TEST_P(OnThreads, OnednnGivesTheSameBitsAtOtherAddresses) {
  const std::unique_ptr<KernelSet> fast = onednn(GetParam());
  for (const OperationTypes& types : operation_shapes()) {
    SCOPED_TRACE(as_text(types));
    const Arrays expected = outputs_of(types, *fast);
    for (const std::size_t offset_bytes : {8U, 40U})
      EXPECT_EQ(outputs_of(types, *fast, {.offset_bytes = offset_bytes}), expected)
          << offset_bytes << " bytes behind a line";
  }
}

TEST_P(OnThreads, OnednnWorksInPlaceWhereTheTableAllowsIt) {
  const std::unique_ptr<KernelSet> fast = onednn(GetParam());
  for (const OperationTypes& types : operation_shapes()) {
    SCOPED_TRACE(as_text(types));
    const Arrays expected = outputs_of(types, *fast);
    const OperatorEntry& entry = entry_of(types.kind);
    std::vector<SharedPlace> places = entry.in_place;
    places.insert(places.end(), entry.updates.begin(), entry.updates.end());
    for (const SharedPlace& place : places) {
      const auto input = static_cast<std::size_t>(place.input);
      const auto output = static_cast<std::size_t>(place.output);
      if (input >= types.inputs.size() || types.inputs[input] != types.outputs[output]) continue;
      EXPECT_EQ(outputs_of(types, *fast, {.shared = place}), expected)
          << "output " << place.output << " in place of input " << place.input;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, OnThreads, ::testing::Values(1, 2),
                         [](const auto& row) { return std::to_string(row.param) + "Threads"; });

// --- Factors of bfloat16

// To the nearest, ties to even; not for NaNs.
float rounded_to_bfloat16(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  bits += 0x7FFFU + ((bits >> 16) & 1U);
  bits &= 0xFFFF0000U;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

// Kernels that round what the first two inputs of products hold, and then do as the reference
// kernels do: what oneDNN must come to, since a product of two bfloat16 is a float32.
class RoundingOperation final : public ReadyOperation {
 public:
  RoundingOperation(OperationTypes types, std::unique_ptr<ReadyOperation> product)
      : types_(std::move(types)), product_(std::move(product)) {}

  std::int64_t workspace_bytes() const override { return product_->workspace_bytes(); }

  void run(std::span<const void* const> inputs, std::span<void* const> outputs,
           void* workspace) override {
    std::vector<std::vector<float>> factors(2);
    std::vector<const void*> read(inputs.begin(), inputs.end());
    for (std::size_t k = 0; k < factors.size(); ++k) {
      const auto* const begin = static_cast<const float*>(inputs[k]);
      factors[k].assign(begin, begin + value_count(types_.inputs[k].shape));
      for (float& factor : factors[k]) factor = rounded_to_bfloat16(factor);
      read[k] = factors[k].data();
    }
    product_->run(read, outputs, workspace);
  }

 private:
  OperationTypes types_;
  std::unique_ptr<ReadyOperation> product_;
};

class RoundingKernels final : public KernelSet {
 public:
  std::string name() const override { return "rounding"; }
  std::unique_ptr<ReadyOperation> ready(const OperationTypes& types) const override {
    return std::make_unique<RoundingOperation>(types, plain_kernels().ready(types));
  }
};

bool is_product(Operator kind) {
  switch (kind) {
    case Operator::MatMul:
    case Operator::Conv:
    case Operator::ConvInputGradient:
    case Operator::ConvWeightGradient:
      return true;
    default:
      return false;
  }
}

TEST_P(OnThreads, OnednnMultipliesBfloat16WhereTheProcessorCan) {
  const auto fast = onednn_kernels(GetParam(), Factors::Bfloat16);
  if (!fast.ok()) GTEST_SKIP() << fast.error().message;
  const RoundingKernels rounding;
  int rounded = 0;
  for (const OperationTypes& types : operation_shapes()) {
    if (!is_product(types.kind)) continue;
    SCOPED_TRACE(as_text(types));
    const Arrays made = outputs_of(types, **fast);
    // What oneDNN has nothing for is left as it is.
    if (made == outputs_of(types, plain_kernels())) continue;
    const Arrays expected = outputs_of(types, rounding);
    EXPECT_LT(relative_error(made[0], expected[0]), kRelativeError);
    EXPECT_EQ(outputs_of(types, **fast, {.offset_bytes = 8}), made);
    ++rounded;
  }
  EXPECT_GT(rounded, 20);
}

// The comparison can fail: one value that is off by a hundredth is seen.
TEST(RelativeError, SeesOneWrongValue) {
  const OperationTypes types = operation_shapes().front();
  const Arrays right = outputs_of(types, plain_kernels());
  Arrays wrong = right;
  float value = 0;
  std::memcpy(&value, wrong[0].data(), sizeof value);
  value = value * 1.01F + 0.01F;
  std::memcpy(wrong[0].data(), &value, sizeof value);
  EXPECT_GT(relative_error(wrong[0], right[0]), kRelativeError);
}

TEST(OnednnKernels, SayTheirName) {
  EXPECT_EQ(onednn(1)->name(), "onednn");
  EXPECT_EQ(onednn(2)->name(), "onednn on 2 threads");
  const auto rounding = onednn_kernels(1, Factors::Bfloat16);
  if (rounding.ok()) {
    EXPECT_EQ((*rounding)->name(), "onednn-bf16");
  }
}

}  // namespace
}  // namespace poet
