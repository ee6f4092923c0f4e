#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "poet/base/ids.h"
#include "poet/base/result.h"
#include "poet/disk/page_store.h"
#include "poet/exec/rom.h"
#include "poet/kernels/kernel_set.h"
#include "poet/lower/runnable_step.h"
#include "poet/model/initial.h"
#include "poet/runtime/step.h"

namespace poet {

// What a step works with. The caller owns it all, and keeps it until the executors are gone;
// several executors may share it when they run one at a time and share_homes()
// (poet/lower/share_homes.h) has lined up their layouts.
struct ExecutorMemory {
  std::span<std::byte> arena = {};  // at least Layout::arena_bytes, aligned as the layout is
  PageStore* store = nullptr;       // of at least Layout::storage_bytes; null when that is 0
  const Rom* rom = nullptr;         // every tensor of the graph with home Rom; null without any
  // Of memories 1, 2, ...: as `arena`, by Layout::further_arenas.
  std::vector<std::span<std::byte>> further_arenas = {};
};

// Fills what the arena and the store do not hold with a pattern of signalling NaNs: a use of what
// was dropped, or never made, then shows in the numbers. For tests: it costs time, and waits.
enum class Poison { Off, On };

struct ExecutorOptions {
  // Seconds since any moment. Where it is given, the executor notes when each action began and
  // ended.
  std::function<double()> clock_s = {};
  // Seconds that the calling thread has computed. Where it is given, beside the clock, the executor
  // also notes how much of each action's time that was.
  std::function<double()> work_s = {};
  // Made for a step and told of each of its actions, before the end of that is noted. For tests: it
  // lets the time pass that a machine takes which is not there.
  std::function<std::function<void(std::size_t action)>(const RunnableStep&)> machine = {};
  Poison poison = Poison::Off;
  const KernelSet* kernels = &plain_kernels();  // looked at by create() only
};

// What a step brings anew, and what it gives.
struct StepExchange {
  // Writes this step's value of an input (TensorRole::Input) into `value`, which has the size of
  // the tensor's type. Called for each PageIn of it, at the time of the PageIn, and at the start of
  // the step for inputs that are resident: it must give the same value whenever it is called in a
  // step. A failure ends the step.
  std::function<Failure(TensorId input, std::span<std::byte> value)> read_input = {};
  // Given the value of each tensor of Graph::outputs, once, right after the operation that makes
  // it. May be empty.
  std::function<void(TensorId output, std::span<const std::byte> value)> take_output = {};
};

// Of one step.
struct StepCounts {
  std::int64_t read_bytes = 0;     // from the store, by PageIn
  std::int64_t written_bytes = 0;  // to the store, by PageOut
  std::int64_t reads = 0;
  std::int64_t writes = 0;
  std::int64_t row_bytes = 0;          // from the store, by lookups and updates of rows
  std::int64_t written_row_bytes = 0;  // to the store, by updates of rows
  std::int64_t input_bytes = 0;        // brought in by read_input
  std::int64_t operations = 0;         // executed, without views
  std::int64_t recomputed_operations = 0;

  bool operator==(const StepCounts&) const = default;
};

// When the executor was at an action. A transfer of an overlapped plan is only issued then.
struct ActionTime {
  double begin_s = 0;
  double wait_s = 0;  // of that, for transfers to end
  double end_s = 0;
  // Of it, without waiting, what the thread computed: not what other programs took. 0 without
  // ExecutorOptions::work_s.
  double work_s = 0;
};

// Runs the steps of a plan in one arena. Everything is looked up when it is created; a step is one
// walk over a list of calls and transfers with their addresses, and allocates nothing.
//
// Values that outlive a step are at home in one place: a slot of the store, an address in the arena
// (residents), or the rom. set() and set_part() write them before the first step, get_part() reads
// them between steps; a new value is where the old one was, under the old one's id. Neither the
// store nor the arena keeps anything else from step to step.
//
// In the time mode Overlapped transfers are issued when the plan says so, and the executor waits
// for one only before it needs what is read, or before it writes over what is read or written. The
// numbers are the same as in Blocking.
class Executor {
 public:
  // Refuses what check_step() refuses, and memory that is too small or not aligned. Afterwards the
  // step itself is needed no longer.
  static Result<std::unique_ptr<Executor>> create(const RunnableStep& step,
                                                  const ExecutorMemory& memory,
                                                  const ExecutorOptions& options = {});
  ~Executor();  // waits for transfers
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // The tensors that outlive a step and are neither inputs nor in the rom nor the step itself: what
  // must be set before the first step, in order of id.
  std::span<const TensorId> kept() const;

  // Writes the initial values of a kept tensor, piece by piece.
  Failure set(TensorId tensor, const Initial& value);

  // Writes or reads a piece of a kept tensor, at an offset in its values. Offset and size should be
  // multiples of the store's block, but for the last piece, or the store takes a detour.
  Failure set_part(TensorId tensor, std::int64_t offset_bytes, std::span<const std::byte> values);
  Failure get_part(TensorId tensor, std::int64_t offset_bytes, std::span<std::byte> values) const;

  // One step. After a failure the values that outlive a step are half old and half new: set them
  // again, or give up.
  Failure run(const poet_step_words& words, const StepExchange& exchange);

  const StepCounts& counts() const;           // of the last step
  std::span<const ActionTime> times() const;  // of the last step, by action; empty without a clock

 private:
  struct State;
  explicit Executor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace poet
