// The FLOP of the operator table, held against what the kernels do: they are compiled once more
// with a float that counts (tests/support/counted_float.h), into a library that is opened here.
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "poet/graph/operators/families.h"
#include "poet/kernels/kernel_call.h"
#include "poet/measure/time_graph.h"
#include "support/operator_shapes.h"

namespace poet {
namespace {

using testing::as_text;
using testing::operation_shapes;

// As in tests/support/counted_float.h, where `float` means something else.
struct FlopTally {
  long long arithmetic;
  long long signs;
};

template <std::size_t>
using Pointer = void*;

// A kernel of the library has the pointers of its C function, however many these are.
template <std::size_t... positions>
void call_with(void* function, const void* shape, void* const* pointers,
               std::index_sequence<positions...>) {
  reinterpret_cast<void (*)(const void*, Pointer<positions>...)>(function)(shape,
                                                                           pointers[positions]...);
}

template <std::size_t count = 0>
void call(void* function, const void* shape, const std::vector<void*>& pointers) {
  if (pointers.size() == count)
    call_with(function, shape, pointers.data(), std::make_index_sequence<count>());
  else if constexpr (count < 2 * kMostPointers)
    call<count + 1>(function, shape, pointers);
}

class CountingKernels {
 public:
  CountingKernels() : library_(dlopen(POET_COUNTED_KERNELS, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    tally_ = static_cast<FlopTally*>(dlsym(library_, "poet_flop_tally"));
  }
  bool are_there() const { return tally_ != nullptr; }

  FlopTally done_by(const OperationTypes& types, const std::vector<std::vector<std::byte>>& in) {
    const PreparedCall prepared_call = prepared(types);
    std::vector<const void*> read;
    for (const std::vector<std::byte>& input : in) read.push_back(input.data());
    std::vector<std::vector<std::byte>> out;
    for (const TensorType& type : types.outputs)
      out.emplace_back(static_cast<std::size_t>(size_bytes(type)));
    std::vector<void*> written;
    for (std::vector<std::byte>& output : out) written.push_back(output.data());
    std::vector<std::byte> workspace(static_cast<std::size_t>(prepared_call.workspace_bytes));
    const KernelPointers all = pointers_of(prepared_call, read, written, workspace.data());
    std::vector<void*> pointers;
    for (int k = 0; k < prepared_call.kernel.inputs; ++k)
      pointers.push_back(const_cast<void*>(all.inputs[static_cast<std::size_t>(k)]));
    for (int k = 0; k < prepared_call.kernel.outputs; ++k)
      pointers.push_back(all.outputs[static_cast<std::size_t>(k)]);
    void* const function = dlsym(library_, std::string(prepared_call.kernel.name).c_str());
    EXPECT_NE(function, nullptr) << prepared_call.kernel.name;
    *tally_ = {};
    if (function != nullptr) call(function, prepared_call.shape.data(), pointers);
    return *tally_;
  }

 private:
  void* library_ = nullptr;
  FlopTally* tally_ = nullptr;
};

std::vector<std::vector<std::byte>> filled(const OperationTypes& types) {
  std::vector<std::vector<std::byte>> inputs;
  for (const TensorType& type : types.inputs)
    inputs.emplace_back(static_cast<std::size_t>(size_bytes(type)));
  fill_inputs(types, std::vector<std::span<std::byte>>(inputs.begin(), inputs.end()));
  return inputs;
}

void fill_with(float value, std::vector<std::byte>& bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof value)
    std::memcpy(&bytes[i], &value, sizeof value);
}

// One number in all places of an input, so that all values go the same way, and the longest way is
// taken by all of them at once.
constexpr std::array<float, 9> kProbes = {-3, -0.75F, -0.25F, 0, 0.25F, 0.75F, 1, 1.5F, 3};

long long most_flop(CountingKernels& kernels, const OperationTypes& types) {
  std::vector<std::vector<std::byte>> inputs = filled(types);
  FlopTally most{};
  for (std::size_t trial = 0; trial < kProbes.size() * kProbes.size(); ++trial) {
    std::size_t left = trial;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      if (types.inputs[k].element == ElementType::Float32)
        fill_with(kProbes[left % kProbes.size()], inputs[k]);
      left /= kProbes.size();
    }
    const FlopTally done = kernels.done_by(types, inputs);
    most.arithmetic = std::max(most.arithmetic, done.arithmetic);
    most.signs = std::max(most.signs, done.signs);
  }
  return most.arithmetic != 0 ? most.arithmetic : most.signs;
}

bool is_pointwise(Operator kind) {
  static const std::vector<OperatorEntry> rows = unary_operators();
  return std::any_of(rows.begin(), rows.end(),
                     [kind](const OperatorEntry& row) { return row.id == kind; });
}

// Whole numbers and bytes are compared and moved without arithmetic of floats; and what a sum over
// no dimensions does is a copy.
bool counts_floats(const OperationTypes& types) {
  if (const auto* const reduce = std::get_if<ReduceAttributes>(&types.attributes))
    if (reduce->axes.empty()) return false;
  // It compares floats with the limits of other types, and counts as a move.
  if (types.kind == Operator::Cast) return false;
  return std::any_of(types.inputs.begin(), types.inputs.end(),
                     [](const TensorType& type) { return type.element == ElementType::Float32; });
}

constexpr std::int64_t kTooLongToCount_flop = 2'000'000;

TEST(OperatorFlop, AreThoseOfTheKernelForEveryFunctionOfOneValue) {
  CountingKernels kernels;
  ASSERT_TRUE(kernels.are_there()) << dlerror();
  int counted = 0;
  for (const OperationTypes& types : operation_shapes()) {
    if (!is_pointwise(types.kind) || value_count(types.inputs[0].shape) > 100) continue;
    EXPECT_EQ(entry_of(types.kind).flop(types), most_flop(kernels, types)) << as_text(types);
    ++counted;
  }
  EXPECT_GE(counted, std::ssize(unary_operators()));
}

// Rows of others leave out what is done once for a call, a row or a lane of a sum, clipping and
// weight decay of updates, and what padding saves. Where there are few values, that is much.
TEST(OperatorFlop, AreAboutThoseOfTheKernelForAllOthers) {
  CountingKernels kernels;
  ASSERT_TRUE(kernels.are_there()) << dlerror();
  for (const OperationTypes& types : operation_shapes()) {
    const std::int64_t said = entry_of(types.kind).flop(types);
    if (is_pointwise(types.kind) || !counts_floats(types) || said > kTooLongToCount_flop) continue;
    const FlopTally tally = kernels.done_by(types, filled(types));
    const long long done = tally.arithmetic != 0 ? tally.arithmetic : tally.signs;
    const int factor = said > 1500 ? 2 : 4;
    EXPECT_LE(said, factor * done) << as_text(types) << ": the kernel does " << done;
    EXPECT_LE(done, factor * said) << as_text(types) << ": the row says " << said;
  }
}

}  // namespace
}  // namespace poet
