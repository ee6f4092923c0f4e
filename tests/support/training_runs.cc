#include "support/training_runs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>

#include "poet/device/boards.h"
#include "poet/exec/arena.h"
#include "poet/kernels/evaluate.h"
#include "poet/lower/share_homes.h"
#include "poet/pose/training_problem.h"
#include "poet/problem/facts.h"

namespace poet::testing {
namespace {

TensorValue given_value(const TrainingGraph& form, TensorId id,
                        std::map<std::string, TensorValue>& values, int step, int number) {
  const GraphTensor& tensor = at(form.graph.tensors, id);
  if (tensor.role == TensorRole::Input) return {tensor.type, input_value(tensor, step, number)};
  if (tensor.role == TensorRole::Step) {
    const poet_step_words words = step_words(step, number);
    Bytes bytes(sizeof words);
    std::memcpy(bytes.data(), &words, sizeof words);
    return {tensor.type, bytes};
  }
  const auto known = values.find(tensor.name);
  if (known != values.end()) return known->second;
  return {tensor.type, initial_bytes(form.initial.at(id), tensor.type)};
}

// One form of one step: `values` are replaced by the new ones.
std::vector<Bytes> run_naively(const TrainingGraph& form,
                               std::map<std::string, TensorValue>& values, int step, int number) {
  std::map<TensorId, TensorValue> given;
  std::map<TensorId, TensorView> views;
  for (std::size_t i = 0; i < form.graph.tensors.size(); ++i) {
    const auto id = static_cast<TensorId>(i);
    const GraphTensor& tensor = form.graph.tensors[i];
    if (tensor.home == Home::Made) continue;
    given[id] = given_value(form, id, values, step, number);
    views[id] = view_of(given[id]);
    if (tensor.home != Home::Rom && tensor.role != TensorRole::Step &&
        tensor.role != TensorRole::Input)
      values[tensor.name] = given[id];
  }
  std::vector<TensorId> wanted = form.graph.outputs;
  for (const Replacement& replacement : form.replacements) wanted.push_back(replacement.new_value);
  const Result<std::vector<TensorValue>> made = evaluate(form.graph, views, wanted);
  EXPECT_TRUE(made.ok());

  const std::size_t outputs = form.graph.outputs.size();
  for (std::size_t r = 0; r < form.replacements.size(); ++r)
    values[at(form.graph.tensors, form.replacements[r].old_value).name] = (*made)[outputs + r];
  std::vector<Bytes> result;
  for (std::size_t k = 0; k < outputs; ++k) result.push_back((*made)[k].bytes);
  return result;
}

// Executors for all forms, in what they share.
class Runner {
 public:
  Runner(const std::vector<TrainingGraph>& forms, std::vector<RunnableStep> steps,
         const RunOptions& options)
      : forms_(forms), steps_(std::move(steps)) {
    const Failure failure = share_homes(steps_);
    EXPECT_FALSE(failure) << failure->message;
    make_memory(options);
    for (const RunnableStep& step : steps_) {
      ExecutorMemory memory{arena_->bytes(), store_.get(), &*rom_};
      for (const Arena& arena : further_arenas_) memory.further_arenas.push_back(arena.bytes());
      Result<std::unique_ptr<Executor>> made =
          Executor::create(step, memory, {.clock_s = {}, .poison = options.poison});
      EXPECT_TRUE(made.ok()) << made.error().message;
      executors_.push_back(*std::move(made));
    }
    set_initial_values();
  }

  std::vector<Bytes> run(std::size_t form, int step) {
    const Graph& graph = forms_[form].graph;
    std::vector<Bytes> outputs(graph.outputs.size());
    const StepExchange exchange{
        .read_input = [&](TensorId input, std::span<std::byte> value) -> Failure {
          const Bytes bytes = input_value(at(graph.tensors, input), step, static_cast<int>(form));
          std::copy(bytes.begin(), bytes.end(), value.begin());
          return std::nullopt;
        },
        .take_output =
            [&](TensorId output, std::span<const std::byte> value) {
              for (std::size_t k = 0; k < outputs.size(); ++k)
                if (graph.outputs[k] == output) outputs[k] = {value.begin(), value.end()};
            }};
    const Failure failure =
        executors_[form]->run(step_words(step, static_cast<int>(form)), exchange);
    EXPECT_FALSE(failure) << failure->message;
    return outputs;
  }

  std::map<std::string, Bytes> kept() const {
    std::map<std::string, Bytes> values;
    for (std::size_t form = 0; form < forms_.size(); ++form)
      for (const TensorId tensor : executors_[form]->kept()) {
        const GraphTensor& what = at(forms_[form].graph.tensors, tensor);
        Bytes value(static_cast<std::size_t>(size_bytes(what.type)));
        const Failure failure = executors_[form]->get_part(tensor, 0, value);
        EXPECT_FALSE(failure) << failure->message;
        values[what.name] = value;
      }
    return values;
  }

 private:
  void make_memory(const RunOptions& options) {
    std::int64_t arena_bytes = 0;
    std::int64_t storage_bytes = 0;
    std::vector<RomSource> sources;
    for (std::size_t form = 0; form < forms_.size(); ++form) {
      arena_bytes = std::max(arena_bytes, steps_[form].layout.arena_bytes);
      storage_bytes = std::max(storage_bytes, steps_[form].layout.storage_bytes);
      sources.push_back({forms_[form].graph, forms_[form].initial});
    }
    Result<Arena> arena = Arena::create(arena_bytes, steps_[0].layout.alignment_bytes);
    EXPECT_TRUE(arena.ok()) << arena.error().message;
    arena_ = *std::move(arena);
    for (std::size_t m = 0; m < steps_[0].layout.further_arenas.size(); ++m) {
      std::int64_t bytes = 0;
      for (const RunnableStep& step : steps_)
        bytes = std::max(bytes, step.layout.further_arenas[m].size_bytes);
      Result<Arena> further = Arena::create(bytes, steps_[0].layout.alignment_bytes);
      EXPECT_TRUE(further.ok()) << further.error().message;
      further_arenas_.push_back(*std::move(further));
    }
    Result<std::unique_ptr<PageStore>> store = PageStore::create({.path = temporary_folder(),
                                                                  .size_bytes = storage_bytes,
                                                                  .direct = options.direct,
                                                                  .checksums = options.checksums,
                                                                  .engine = options.engine});
    EXPECT_TRUE(store.ok()) << store.error().message;
    store_ = *std::move(store);
    Result<Rom> rom = Rom::create(temporary_folder(), sources);
    EXPECT_TRUE(rom.ok()) << rom.error().message;
    rom_ = *std::move(rom);
  }

  void set_initial_values() {
    std::set<std::string> done;
    for (std::size_t form = 0; form < forms_.size(); ++form)
      for (const TensorId tensor : executors_[form]->kept()) {
        if (!done.insert(at(forms_[form].graph.tensors, tensor).name).second) continue;
        const Failure failure = executors_[form]->set(tensor, forms_[form].initial.at(tensor));
        EXPECT_FALSE(failure) << failure->message;
      }
  }

  const std::vector<TrainingGraph>& forms_;
  std::vector<RunnableStep> steps_;
  std::optional<Arena> arena_;
  std::vector<Arena> further_arenas_;
  std::unique_ptr<PageStore> store_;
  std::optional<Rom> rom_;
  std::vector<std::unique_ptr<Executor>> executors_;
};

}  // namespace

std::string temporary_folder() {
  return std::filesystem::temp_directory_path().string();
}

Bytes input_value(const GraphTensor& tensor, int step, int form) {
  const auto seed = static_cast<std::uint64_t>(1000 * step + form + 1);
  const Initial drawn = UniformDraw{.bound = 1, .seed = seed};
  if (tensor.type.element == ElementType::Float32) return initial_bytes(drawn, tensor.type);
  const Bytes random = initial_bytes(drawn, {ElementType::Float32, tensor.type.shape});
  Bytes bytes(static_cast<std::size_t>(size_bytes(tensor.type)));
  const auto width = static_cast<std::size_t>(byte_size(tensor.type.element));
  for (std::size_t i = 0; i * width < bytes.size(); ++i) {
    float unit = 0;
    std::memcpy(&unit, &random[i * sizeof unit], sizeof unit);
    const double most = tensor.name == "labels" ? 2 : 50;
    const auto value = static_cast<std::int64_t>((unit + 1) / 2 * most);
    std::memcpy(&bytes[i * width], &value, width);  // little-endian, like the values themselves
  }
  return bytes;
}

poet_step_words step_words(int step, int form) {
  const double number = step + 1;
  return {.seed_low = 11,
          .seed_high = 12,
          .step = static_cast<std::uint32_t>(number),
          .micro_batch = static_cast<std::uint32_t>(form),
          .learning_rate = 0.01F,
          .first_correction = static_cast<float>(1 - std::pow(0.9, number)),
          .second_correction = static_cast<float>(1 - std::pow(0.999, number)),
          .loss_scale = 1};
}

TrainingRun naive_training(const std::vector<TrainingGraph>& forms, int steps) {
  TrainingRun run;
  std::map<std::string, TensorValue> values;
  for (int step = 0; step < steps; ++step)
    for (std::size_t form = 0; form < forms.size(); ++form)
      for (Bytes& output : run_naively(forms[form], values, step, static_cast<int>(form)))
        run.outputs.push_back(std::move(output));
  for (const auto& [name, value] : values) run.kept[name] = value.bytes;
  return run;
}

Problem problem_to_run(const TrainingGraph& step, std::int64_t alignment_bytes) {
  Result<Problem> problem = training_problem(step, *load_device("m4"), 1, alignment_bytes);
  EXPECT_TRUE(problem.ok());
  problem->ram_budget_bytes = plain_peak_bytes(*problem);
  return *std::move(problem);
}

RunnableStep runnable_step(const TrainingGraph& step, const Problem& problem,
                           const Schedule& schedule, std::int64_t alignment_bytes) {
  RunnableStep made{.graph = step.graph};
  made.plan.problem = problem;
  made.plan.schedule = schedule;
  made.plan.buffers = buffers_of(problem, schedule);
  LayoutOptions options;
  options.alignment_bytes = alignment_bytes;
  options.max_nodes = 10'000;
  const Result<Layout> layout = make_layout(made.plan, options);
  EXPECT_TRUE(layout.ok()) << layout.error().message;
  if (layout.ok()) made.layout = *layout;
  return made;
}

TrainingRun executed_training(const std::vector<TrainingGraph>& forms,
                              std::vector<RunnableStep> steps_to_run, int steps,
                              const RunOptions& options) {
  Runner runner(forms, std::move(steps_to_run), options);
  TrainingRun run;
  for (int step = 0; step < steps; ++step)
    for (std::size_t form = 0; form < forms.size(); ++form)
      for (Bytes& output : runner.run(form, step)) run.outputs.push_back(std::move(output));
  run.kept = runner.kept();
  return run;
}

void expect_same_run(const TrainingRun& run, const TrainingRun& naive) {
  ASSERT_EQ(run.outputs.size(), naive.outputs.size());
  for (std::size_t k = 0; k < run.outputs.size(); ++k)
    ASSERT_TRUE(run.outputs[k] == naive.outputs[k]) << "output " << k;
  ASSERT_EQ(run.kept.size(), naive.kept.size());
  for (const auto& [name, value] : naive.kept) {
    ASSERT_TRUE(run.kept.contains(name)) << name;
    ASSERT_TRUE(run.kept.at(name) == value) << name;
  }
}

}  // namespace poet::testing
