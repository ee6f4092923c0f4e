// What the executor refuses to run, and what it does when storage fails in the middle of a step.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "poet/autodiff/order.h"
#include "poet/exec/arena.h"
#include "poet/lower/share_homes.h"
#include "poet/model/network_builder.h"
#include "poet/problem/facts.h"
#include "support/failing_file_calls.h"
#include "support/random_schedule.h"
#include "support/training_runs.h"

namespace poet {
namespace {

// y = relu(x w) flat, of which w is trained.
TrainingGraph one_layer(const TrainingOptions& options = {.loss = Loss::MeanSquaredError}) {
  NetworkBuilder net;
  TensorId x = add_input(net, "x", {ElementType::Float32, {4, 5}});
  x = linear(net, "fc", x, 3, Bias::Without);
  x = reshape(net, "flat", x, {12});
  add_output(net, "y", apply(net, Operator::Relu, "relu", {x}));
  return *training_graph(net.model, options);
}

RunnableStep plain_step(const TrainingGraph& step) {
  const Problem problem = testing::problem_to_run(step);
  return testing::runnable_step(step, problem, plain_schedule(problem));
}

Tensor& planned(RunnableStep& step, std::string_view name) {
  for (Tensor& tensor : step.plan.problem.tensors)
    if (tensor.name == name) return tensor;
  ADD_FAILURE() << "no tensor is called " << name;
  return step.plan.problem.tensors.front();
}

Operation& planned_operation(RunnableStep& step, std::string_view name) {
  for (Operation& operation : step.plan.problem.operations)
    if (operation.name == name) return operation;
  ADD_FAILURE() << "no operation is called " << name;
  return step.plan.problem.operations.front();
}

TensorId id_of(const RunnableStep& step, std::string_view name) {
  for (std::size_t i = 0; i < step.graph.tensors.size(); ++i)
    if (step.graph.tensors[i].name == name) return static_cast<TensorId>(i);
  ADD_FAILURE() << "no tensor is called " << name;
  return TensorId{};
}

std::string refusal_of(const std::function<void(RunnableStep&)>& change) {
  RunnableStep step = plain_step(one_layer());
  change(step);
  const Failure failure = check_step(step);
  return failure ? failure->message : "";
}

TEST(CheckStep, IsContentWithAPlanOfTheGraph) {
  EXPECT_EQ(refusal_of([](RunnableStep&) {}), "");
}

TEST(CheckStep, RefusesAnotherProblem) {
  EXPECT_EQ(refusal_of([](RunnableStep& step) { planned(step, "relu").name = "sigmoid"; }),
            "the graph's tensor relu is called sigmoid in its problem");
  EXPECT_EQ(refusal_of([](RunnableStep& step) { planned_operation(step, "relu").name = "tanh"; }),
            "relu is another operation in its problem");
  EXPECT_EQ(refusal_of([](RunnableStep& step) { planned(step, "loss").size_bytes = 0; }),
            "loss has 4 bytes, and its problem counts 0: what is run must be counted");
  EXPECT_EQ(refusal_of([](RunnableStep& step) { planned(step, "x").home = Home::Rom; }),
            "x is at home in storage, and in its problem in rom");
  EXPECT_EQ(refusal_of([](RunnableStep& step) {
              planned_operation(step, "fc").inputs = {id_of(step, "x")};
            }),
            "fc reads other tensors in its problem");
}

TEST(CheckStep, RefusesSharedPlacesThatKernelsDoNotAllow) {
  EXPECT_EQ(refusal_of([](RunnableStep& step) {
              planned_operation(step, "fc").in_place = InPlace{id_of(step, "x"), id_of(step, "fc")};
            }),
            "fc cannot write fc over x");
  EXPECT_EQ(refusal_of([](RunnableStep& step) { planned(step, "fc.weight.new").updates.reset(); }),
            "fc.weight.new takes the place of fc.weight, but not in its problem");
}

TEST(CheckStep, RefusesSchedulesAndLayoutsThatAreNone) {
  EXPECT_NE(refusal_of([](RunnableStep& step) { step.plan.schedule.actions.pop_back(); }), "");
  EXPECT_EQ(refusal_of([](RunnableStep& step) { step.plan.buffers.pop_back(); }),
            "the plan's buffers are not those of its schedule");
  EXPECT_NE(refusal_of([](RunnableStep& step) { step.layout.arena_bytes -= 64; }), "");
  EXPECT_NE(refusal_of([](RunnableStep& step) {
              std::fill(step.layout.buffer_offset_bytes.begin(),
                        step.layout.buffer_offset_bytes.end(), 0);
            }),
            "");
}

// A deadline is the plan's business: a step that takes longer is still a step.
TEST(CheckStep, RunsWhatOnlyBreaksLimits) {
  EXPECT_EQ(refusal_of([](RunnableStep& step) { step.plan.problem.deadline_s = 1e-9; }), "");
}

TEST(CheckStep, RefusesParametersThatAreNotCounted) {
  const TrainingGraph step =
      one_layer({.loss = Loss::MeanSquaredError, .parameters = ParameterPlace::Excluded});
  const Problem problem = testing::problem_to_run(step);
  RunnableStep runnable{.graph = step.graph};
  runnable.plan.problem = problem;
  EXPECT_EQ(check_step(runnable)->message,
            "fc.weight has 60 bytes, and its problem counts 0: what is run must be counted");
}

// --- Memory

struct Memory {
  Arena arena;
  std::unique_ptr<PageStore> store;
  Rom rom;
};

Result<std::unique_ptr<PageStore>> store_of(std::int64_t size_bytes, const IoCalls& calls = {}) {
  return PageStore::create(
      {.path = testing::temporary_folder(), .size_bytes = size_bytes, .engine = IoEngine::Threads},
      calls);
}

std::string memory_refusal(const TrainingGraph& step, const RunnableStep& runnable,
                           std::int64_t less_arena_bytes, std::int64_t less_storage_bytes,
                           bool with_rom) {
  const Result<Arena> arena = Arena::create(runnable.layout.arena_bytes, 64);
  const Result<std::unique_ptr<PageStore>> store =
      store_of(runnable.layout.storage_bytes - less_storage_bytes);
  const RomSource source{step.graph, step.initial};
  const Result<Rom> rom = Rom::create(testing::temporary_folder(), {&source, with_rom ? 1U : 0U});
  const std::span<std::byte> bytes = arena->bytes();
  const ExecutorMemory memory{
      bytes.first(bytes.size() - static_cast<std::size_t>(less_arena_bytes)), store->get(), &*rom};
  const Result<std::unique_ptr<Executor>> made = Executor::create(runnable, memory);
  return made.ok() ? "" : made.error().message;
}

TEST(ExecutorMemory, MustBeLargeEnough) {
  const TrainingGraph step = one_layer();
  const RunnableStep runnable = plain_step(step);
  const std::int64_t arena = runnable.layout.arena_bytes;
  const std::int64_t storage = runnable.layout.storage_bytes;
  EXPECT_EQ(memory_refusal(step, runnable, 0, 0, true), "");
  EXPECT_EQ(memory_refusal(step, runnable, 1, 0, true),
            "the arena has " + std::to_string(arena - 1) + " bytes, and the plan needs " +
                std::to_string(arena));
  EXPECT_EQ(memory_refusal(step, runnable, 0, 1, true),
            "the store has " + std::to_string(storage - 1) + " bytes, and the plan needs " +
                std::to_string(storage));
  EXPECT_EQ(memory_refusal(step, runnable, 0, 0, false),
            "loss.grad has 4 bytes, and the rom has 0 of it");
}

TEST(ExecutorMemory, MustBeAligned) {
  const TrainingGraph step = one_layer();
  const Problem problem = testing::problem_to_run(step, 4);
  const RunnableStep runnable = testing::runnable_step(step, problem, plain_schedule(problem), 4);
  EXPECT_EQ(memory_refusal(step, runnable, 0, 0, true),
            "the layout is aligned to 4 bytes, and kernels need multiples of 8");
}

// --- Storage that fails

struct Attempt {
  bool failed_call = false;
  std::string_view call = {};
  Failure failure = {};
  std::vector<testing::Bytes> losses = {};
};

// Two steps, of which the k-th call of storage fails in the given way.
Attempt attempt(const TrainingGraph& step, const RunnableStep& runnable, const Rom& rom,
                std::int64_t failing_call, testing::Fault fault) {
  testing::FailingFileCalls calls(failing_call, fault);
  Attempt result;
  const auto run = [&]() -> Failure {
    const Result<Arena> arena = Arena::create(runnable.layout.arena_bytes, 64);
    Result<std::unique_ptr<PageStore>> store =
        store_of(runnable.layout.storage_bytes, {.files = calls});
    if (!store.ok()) return store.error();
    Result<std::unique_ptr<Executor>> executor =
        Executor::create(runnable, {arena->bytes(), store->get(), &rom});
    if (!executor.ok()) return executor.error();
    for (const TensorId tensor : (*executor)->kept())
      if (Failure failure = (*executor)->set(tensor, step.initial.at(tensor))) return failure;
    for (int number = 0; number < 2; ++number) {
      const StepExchange exchange{
          .read_input = [&](TensorId input, std::span<std::byte> value) -> Failure {
            const testing::Bytes bytes =
                testing::input_value(at(step.graph.tensors, input), number, 0);
            std::copy(bytes.begin(), bytes.end(), value.begin());
            return std::nullopt;
          },
          .take_output =
              [&](TensorId, std::span<const std::byte> value) {
                result.losses.emplace_back(value.begin(), value.end());
              }};
      if (Failure failure = (*executor)->run(testing::step_words(number, 0), exchange))
        return failure;
    }
    return std::nullopt;
  };
  result.failure = run();
  result.failed_call = calls.failed();
  result.call = calls.failed_call();
  return result;
}

// Every call fails once, in every way: the step ends with a sentence, or with the right numbers.
TEST(ExecutorFaults, EndTheStepWithASentenceOrChangeNothing) {
  const TrainingGraph step =
      one_layer({.loss = Loss::MeanSquaredError, .optimiser = Optimiser::Adam});
  const RomSource source{step.graph, step.initial};
  const Result<Rom> rom = Rom::create(testing::temporary_folder(), {&source, 1});
  const testing::TrainingRun naive = testing::naive_training({step}, 2);
  for (const TimeMode mode : {TimeMode::Blocking, TimeMode::Overlapped}) {
    Problem problem = testing::problem_to_run(step);
    problem.time_mode = mode;
    const RunnableStep runnable =
        testing::runnable_step(step, problem, testing::random_schedule(problem, 2));
    for (const testing::Fault fault : testing::kFaults) {
      int failures = 0;
      for (std::int64_t call = 0;; ++call) {
        SCOPED_TRACE(::testing::Message() << testing::name_of(fault) << " call " << call);
        const Attempt made = attempt(step, runnable, *rom, call, fault);
        if (made.failure) {
          ++failures;
          ASSERT_FALSE(made.failure->message.empty());
        } else {
          ASSERT_EQ(made.losses, naive.outputs);
          ASSERT_TRUE(!made.failed_call || testing::may_be_survived(fault, made.call)) << made.call;
        }
        if (!made.failed_call) break;
      }
      const bool lasting = fault == testing::Fault::Broken || fault == testing::Fault::Full;
      EXPECT_GT(failures, lasting ? 20 : -1);
    }
  }
}

TEST(ExecutorFaults, EndTheStepWhereAnInputIsMissing) {
  const TrainingGraph step = one_layer();
  const RunnableStep runnable = plain_step(step);
  const Result<Arena> arena = Arena::create(runnable.layout.arena_bytes, 64);
  const Result<std::unique_ptr<PageStore>> store = store_of(runnable.layout.storage_bytes);
  const RomSource source{step.graph, step.initial};
  const Result<Rom> rom = Rom::create(testing::temporary_folder(), {&source, 1});
  const Result<std::unique_ptr<Executor>> executor =
      Executor::create(runnable, {arena->bytes(), store->get(), &*rom});
  ASSERT_TRUE(executor.ok());
  const StepExchange exchange{.read_input = [](TensorId, std::span<std::byte>) -> Failure {
    return bad_input("the data ends in the middle of an example");
  }};
  const Failure failure = (*executor)->run(testing::step_words(0, 0), exchange);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "the data ends in the middle of an example");
}

// --- Forms that share

TEST(ShareHomes, RefusesFormsThatDoNotFitTogether) {
  std::vector<RunnableStep> forms = {plain_step(one_layer()), plain_step(one_layer())};
  EXPECT_FALSE(share_homes(forms));
  forms[1].layout.alignment_bytes = 128;
  EXPECT_EQ(share_homes(forms)->message,
            "one form of the step is aligned to 64 bytes, and another to 128");

  std::vector<RunnableStep> mixed = {
      plain_step(one_layer()), plain_step(one_layer({.loss = Loss::MeanSquaredError,
                                                     .parameters = ParameterPlace::Resident}))};
  EXPECT_EQ(share_homes(mixed)->message,
            "fc.weight is resident in one form of the step and in storage in another");
}

// The arena grows by what only another form keeps in RAM, and layouts stay layouts.
TEST(ShareHomes, PutsTheSameNamesInTheSamePlaces) {
  TrainingOptions options{.loss = Loss::MeanSquaredError, .optimiser = Optimiser::Adam};
  options.micro_batches = 2;
  for (const ParameterPlace place : {ParameterPlace::Planned, ParameterPlace::Resident}) {
    options.parameters = place;
    std::vector<RunnableStep> forms;
    for (const StepForm form : {StepForm::First, StepForm::Last}) {
      options.form = form;
      forms.push_back(plain_step(one_layer(options)));
    }
    const std::vector<RunnableStep> before = forms;
    ASSERT_FALSE(share_homes(forms));
    for (const RunnableStep& form : forms)
      EXPECT_FALSE(check_step(form)) << check_step(form)->message;
    for (const char* const name : {"fc.weight", "fc.weight.grad.accumulated"})
      EXPECT_EQ(at(forms[0].layout.slot_offset_bytes, id_of(forms[0], name)),
                at(forms[1].layout.slot_offset_bytes, id_of(forms[1], name)));
    const std::int64_t states_bytes = place == ParameterPlace::Resident ? 2 * 64 : 0;
    const std::int64_t step_bytes = 64;
    EXPECT_EQ(forms[0].layout.arena_bytes - before[0].layout.arena_bytes,
              states_bytes + step_bytes);
    EXPECT_EQ(forms[1].layout.arena_bytes, before[1].layout.arena_bytes);
  }
}

}  // namespace
}  // namespace poet
