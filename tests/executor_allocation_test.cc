// Counts what a training step allocates: nothing. The program brings a malloc of its own that
// counts, so whichever library asks for memory is seen.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "poet/autodiff/order.h"
#include "poet/exec/arena.h"
#include "poet/model/real_networks.h"
#include "support/random_schedule.h"
#include "support/training_runs.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define POET_TEST_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define POET_TEST_SANITIZED
#endif
#endif

namespace {

std::atomic<long> allocations{0};

}  // namespace

#ifdef POET_TEST_SANITIZED
#include <sanitizer/allocator_interface.h>

namespace {

// Sanitizers have an allocator of their own, which tells.
const int hooked = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { allocations.fetch_add(1, std::memory_order_relaxed); },
    [](const volatile void*) {});

}  // namespace

#else

// The allocator of the C library, under everything else.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

void* counted(void* memory) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

}  // namespace

extern "C" {
void* malloc(std::size_t size) noexcept {
  return counted(__libc_malloc(size));
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  return counted(__libc_calloc(count, size));
}
void* realloc(void* memory, std::size_t size) noexcept {
  return counted(__libc_realloc(memory, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return counted(__libc_memalign(alignment, size));
}
}
#endif

namespace poet {
namespace {

struct Case {
  std::string name;
  TimeMode mode = TimeMode::Blocking;
  IoEngine engine = IoEngine::Threads;
};

std::ostream& operator<<(std::ostream& out, const Case& row) {
  return out << row.name;
}

class Allocations : public ::testing::TestWithParam<Case> {};

TEST_P(Allocations, AreNoneInAStep) {
  const Model model = *real_network("lenet5", {.batch_size = 2});
  TrainingGraph step = *training_graph(model, {.optimiser = Optimiser::Adam});
  reorder(step);
  Problem problem = testing::problem_to_run(step);
  problem.time_mode = GetParam().mode;
  const RunnableStep runnable =
      testing::runnable_step(step, problem, testing::random_schedule(problem, 3));

  const Result<Arena> arena = Arena::create(runnable.layout.arena_bytes, 64);
  ASSERT_TRUE(arena.ok());
  const Result<std::unique_ptr<PageStore>> store =
      PageStore::create({.path = testing::temporary_folder(),
                         .size_bytes = runnable.layout.storage_bytes,
                         .checksums = true,
                         .engine = GetParam().engine});
  ASSERT_TRUE(store.ok()) << store.error().message;
  const RomSource source{step.graph, step.initial};
  const Result<Rom> rom = Rom::create(testing::temporary_folder(), {&source, 1});
  ASSERT_TRUE(rom.ok()) << rom.error().message;
  double clock_s = 0;
  const Result<std::unique_ptr<Executor>> executor =
      Executor::create(runnable, {arena->bytes(), store->get(), &*rom},
                       {.clock_s = [&clock_s] { return clock_s += 1; }});
  ASSERT_TRUE(executor.ok()) << executor.error().message;
  for (const TensorId tensor : (*executor)->kept())
    ASSERT_FALSE((*executor)->set(tensor, step.initial.at(tensor)));

  std::map<TensorId, testing::Bytes> inputs;
  for (std::size_t i = 0; i < step.graph.tensors.size(); ++i)
    if (step.graph.tensors[i].role == TensorRole::Input)
      inputs[static_cast<TensorId>(i)] = testing::input_value(step.graph.tensors[i], 0, 0);
  int losses = 0;
  const StepExchange exchange{
      .read_input = [&](TensorId input, std::span<std::byte> value) -> Failure {
        std::copy(inputs.at(input).begin(), inputs.at(input).end(), value.begin());
        return std::nullopt;
      },
      .take_output = [&](TensorId, std::span<const std::byte>) { ++losses; }};
  for (int number = 0; number < 3; ++number) {
    const poet_step_words words = testing::step_words(number, 0);
    const long before = allocations.load();
    const Failure failure = (*executor)->run(words, exchange);
    const long after = allocations.load();
    EXPECT_FALSE(failure) << failure->message;
    EXPECT_EQ(after - before, 0);
  }
  EXPECT_EQ(losses, 3);
  const StepCounts& counts = (*executor)->counts();
  EXPECT_GT(counts.reads, 0);
  EXPECT_GT(counts.writes, 0);
  EXPECT_GT(counts.recomputed_operations, 0);
  EXPECT_EQ((*executor)->times().size(), runnable.plan.schedule.actions.size());
  for (const ActionTime& time : (*executor)->times()) EXPECT_LT(time.begin_s, time.end_s);
}

// The count itself can fail.
TEST(AllocationCount, SeesOperatorNew) {
  const long before = allocations.load();
  void* const memory = ::operator new(100);
  ::operator delete(memory);
  EXPECT_GT(allocations.load(), before);
}

INSTANTIATE_TEST_SUITE_P(
    Executor, Allocations,
    ::testing::Values(Case{"blocking_threads", TimeMode::Blocking, IoEngine::Threads},
                      Case{"overlapped_threads", TimeMode::Overlapped, IoEngine::Threads},
                      Case{"blocking_auto", TimeMode::Blocking, IoEngine::Auto},
                      Case{"overlapped_auto", TimeMode::Overlapped, IoEngine::Auto}),
    [](const ::testing::TestParamInfo<Case>& row) { return row.param.name; });

}  // namespace
}  // namespace poet
