#include "poet/measure/time_graph.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "poet/base/check.h"
#include "poet/graph/operator_table.h"
#include "poet/kernels/evaluate.h"
#include "poet/measure/aligned_bytes.h"
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

// An operation with everything that it reads and writes.
class Bench {
 public:
  Bench(const OperationTypes& types, const KernelSet& kernels)
      : operation_(kernels.ready(types)),
        workspace_(static_cast<std::size_t>(operation_->workspace_bytes())) {
    std::vector<std::span<std::byte>> to_fill;
    for (const TensorType& type : types.inputs) {
      inputs_.emplace_back(static_cast<std::size_t>(size_bytes(type)));
      to_fill.push_back(inputs_.back().span());
      read_.push_back(inputs_.back().data());
    }
    for (const TensorType& type : types.outputs) {
      outputs_.emplace_back(static_cast<std::size_t>(size_bytes(type)));
      written_.push_back(outputs_.back().data());
    }
    fill_inputs(types, to_fill);
  }

  void execute(std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) operation_->run(read_, written_, workspace_.data());
  }

 private:
  std::unique_ptr<ReadyOperation> operation_;
  AlignedBytes workspace_;
  std::vector<AlignedBytes> inputs_;
  std::vector<AlignedBytes> outputs_;
  std::vector<const void*> read_;
  std::vector<void*> written_;
};

double seconds_of(Bench& bench, std::int64_t times, const Instruments& instruments,
                  const Stop& stop) {
  const double begin_s = work_s(instruments, stop);
  bench.execute(times);
  return std::max(0.0, work_s(instruments, stop) - begin_s);
}

// How many executions make a sample long enough: doubled until they do.
std::int64_t executions_of_sample(Bench& bench, double sample_s, const Instruments& instruments,
                                  const Stop& stop) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  std::int64_t times = 1;
  while (times < kMost && !stop.requested() &&
         seconds_of(bench, times, instruments, stop) < sample_s)
    times *= 2;
  return times;
}

std::optional<double> joules_of(Bench& bench, double seconds, const TimingOptions& options,
                                const Instruments& instruments, const Stop& stop) {
  if (!instruments.energy_j) return std::nullopt;
  const auto times =
      static_cast<std::int64_t>(std::ceil(options.energy_s / std::max(seconds, 1e-9)));
  const double begin_s = stop.now_s();
  const std::optional<double> before = instruments.energy_j();
  bench.execute(times);
  const std::optional<double> after = instruments.energy_j();
  if (!before || !after) return std::nullopt;
  const double above_idle = *after - *before - options.idle_w * (stop.now_s() - begin_s);
  return std::max(0.0, above_idle) / static_cast<double>(times);
}

// The first operation that is no view and reads the tensor or a view of it, and as which input.
struct Reading {
  const GraphOperation* operation = nullptr;
  std::size_t position = 0;
};

Reading first_reading(const Graph& graph, TensorId tensor) {
  std::vector<TensorId> names = {tensor};
  for (const GraphOperation& operation : graph.operations) {
    const auto input = std::find_first_of(operation.inputs.begin(), operation.inputs.end(),
                                          names.begin(), names.end());
    if (input == operation.inputs.end()) continue;
    if (!entry_of(operation.kind).view)
      return {&operation, static_cast<std::size_t>(input - operation.inputs.begin())};
    names.push_back(operation.outputs[0]);
  }
  check_failed("a tensor that is given a value is read", __FILE__, __LINE__);
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

std::optional<OperationTiming> time_operation(const OperationTypes& types,
                                              const TimingOptions& options,
                                              const Instruments& instruments, const Stop& stop,
                                              const KernelSet& kernels) {
  POET_CHECK(stop.elapsed_s != nullptr);
  Bench bench(types, kernels);
  bench.execute(1);
  const std::int64_t times = executions_of_sample(bench, options.sample_s, instruments, stop);
  const double begin_s = stop.now_s();
  std::vector<double> samples;
  while (std::ssize(samples) < options.samples && !stop.requested() &&
         (std::ssize(samples) < options.fewest || stop.now_s() - begin_s < options.target_s))
    samples.push_back(seconds_of(bench, times, instruments, stop) / static_cast<double>(times));
  if (samples.empty() || std::ssize(samples) < std::min(options.fewest, options.samples))
    return std::nullopt;
  OperationTiming timing{.seconds = quartiles_of(samples),
                         .samples = std::ssize(samples),
                         .executions = std::ssize(samples) * times};
  timing.joules = joules_of(bench, timing.seconds.median, options, instruments, stop);
  return timing;
}

TensorValue value_for(const Graph& graph, TensorId tensor) {
  const Reading reading = first_reading(graph, tensor);
  const OperationTypes types = types_of(graph, *reading.operation);
  std::vector<std::vector<std::byte>> inputs;
  for (const TensorType& type : types.inputs)
    inputs.emplace_back(static_cast<std::size_t>(size_bytes(type)));
  const std::vector<std::span<std::byte>> spans(inputs.begin(), inputs.end());
  fill_inputs(types, spans);
  return {.type = at(graph.tensors, tensor).type, .bytes = std::move(inputs[reading.position])};
}

Result<std::optional<Quartiles>> time_graph(const Graph& graph,
                                            const std::map<TensorId, TensorView>& given,
                                            const std::vector<TensorId>& wanted,
                                            const PassOptions& options, const Stop& stop) {
  POET_CHECK(stop.elapsed_s != nullptr);
  std::vector<double> seconds;
  for (std::int64_t pass = 0; pass <= options.passes && !stop.requested(); ++pass) {
    const double begin_s = work_s(options.instruments, stop);
    const Result<std::vector<TensorValue>> values =
        evaluate(graph, given, wanted, *options.kernels);
    if (!values.ok()) return values.error();
    if (pass > 0) seconds.push_back(work_s(options.instruments, stop) - begin_s);
  }
  if (seconds.empty()) return std::optional<Quartiles>();
  return std::optional(quartiles_of(seconds));
}

}  // namespace poet
