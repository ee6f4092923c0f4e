#include "poet/measure/time_operation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "poet/base/check.h"
#include "poet/measure/aligned_bytes.h"
#include "poet/measure/operation_inputs.h"

namespace poet {
namespace {

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

}  // namespace

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

}  // namespace poet
