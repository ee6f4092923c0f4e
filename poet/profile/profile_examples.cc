#include "poet/profile/profile_examples.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "poet/cost/operation_key.h"
#include "poet/data/batch_reader.h"
#include "poet/data/open_data.h"
#include "poet/forms/step_forms.h"
#include "poet/measure/quartiles.h"

namespace poet {
namespace {

// Of which batches are read, one after the other.
constexpr std::int64_t kMadeUp = 1000;

struct TimedPart {
  Quartiles seconds = {};
  std::int64_t samples = 0;
};

// One batch of a part, as often as the options say.
Result<TimedPart> time_part(const BatchReader& reader, std::size_t part, std::int64_t size_bytes,
                            const TimingOptions& options, const Instruments& instruments,
                            const Stop& stop) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(size_bytes));
  std::vector<double> samples;
  const double begin_s = stop.now_s();
  for (std::int64_t batch = 0; std::ssize(samples) < options.samples; ++batch) {
    const double before_s = work_s(instruments, stop);
    if (Failure failure = reader.read(batch * reader.options().batch_size, part, bytes))
      return *failure;
    if (batch > 0) samples.push_back(work_s(instruments, stop) - before_s);
    const bool enough = std::ssize(samples) >= options.fewest;
    if (enough && (stop.requested() || stop.now_s() - begin_s > options.target_s)) break;
  }
  const auto count = std::ssize(samples);
  return TimedPart{quartiles_of(std::move(samples)), count};
}

// The tensor that a part of the examples goes to; none where that comes in pieces.
std::optional<TensorId> tensor_of(const StepGraph& form, const WantedParts& wanted,
                                  std::size_t part) {
  const bool is_target = wanted.has_target && part + 1 == wanted.parts.size();
  std::optional<TensorId> tensor;
  if (is_target) tensor = form.targets.front();
  for (const NamedTensor& input : form.inputs)
    if (!is_target && input.name == wanted.parts[part].name) tensor = input.tensor;
  return tensor && form.pieces.count(*tensor) == 0 ? tensor : std::nullopt;
}

}  // namespace

Result<std::vector<MeasuredOperation>> profile_examples(const TrainingGraph& step,
                                                        std::int64_t batch_size,
                                                        const TimingOptions& options,
                                                        const Instruments& instruments,
                                                        const Stop& stop) {
  const StepGraph form{
      .graph = step.graph, .inputs = step.inputs, .targets = step.labels, .pieces = step.pieces};
  if (Failure failure = check_rows_of_examples(form, batch_size)) return *failure;
  const WantedParts wanted = wanted_by(form, {});
  Result<std::unique_ptr<Dataset>> data = open_data({.synthetic_examples = kMadeUp}, wanted);
  if (!data.ok()) return data.error();
  const BatchReader reader(*std::move(data), {.batch_size = batch_size});
  std::vector<MeasuredOperation> examples;
  for (std::size_t part = 0; part < wanted.parts.size() && !stop.requested(); ++part) {
    const std::optional<TensorId> tensor = tensor_of(form, wanted, part);
    if (!tensor) continue;
    const TensorType& type = at(form.graph.tensors, *tensor).type;
    const std::string key = example_key(type);
    if (std::any_of(examples.begin(), examples.end(),
                    [&key](const MeasuredOperation& known) { return known.key == key; }))
      continue;
    const Result<TimedPart> timed =
        time_part(reader, part, size_bytes(type), options, instruments, stop);
    if (!timed.ok()) return timed.error();
    examples.push_back({.key = key,
                        .kernels = std::string(kExamples),
                        .seconds = timed->seconds.median,
                        .spread_s = timed->seconds.spread(),
                        .samples = timed->samples,
                        .executions = timed->samples,
                        .uses = 1});
  }
  return examples;
}

}  // namespace poet
