#include "poet/exec/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "poet/base/check.h"
#include "poet/exec/prepared_step.h"
#include "poet/exec/value_pieces.h"
#include "poet/runtime/update.h"

namespace poet {
namespace {

// A signalling NaN in every float, and as an integer far from any index.
constexpr std::uint32_t kPoison = 0xFFA5A5A5;

void poison(std::span<std::byte> memory) {
  for (std::size_t i = 0; i < memory.size(); i += sizeof kPoison)
    std::memcpy(&memory[i], &kPoison, std::min(sizeof kPoison, memory.size() - i));
}

std::int64_t index_at(const ReadRows& reading, std::size_t position) {
  if (reading.index_type == ElementType::Int64) {
    std::int64_t index = 0;
    std::memcpy(&index, &reading.indices[position * sizeof index], sizeof index);
    return index;
  }
  std::int32_t index = 0;
  std::memcpy(&index, &reading.indices[position * sizeof index], sizeof index);
  return index;
}

}  // namespace

struct Executor::State {
  ExecutorMemory memory = {};
  ExecutorOptions options = {};
  bool overlapped = false;
  PreparedStep step = {};
  std::optional<ActionReader> reader = {};             // of its actions
  std::function<void(std::size_t action)> acted = {};  // ExecutorOptions::machine's
  std::vector<Ticket> tickets = {};                    // by transfer
  std::size_t begun = 0;                               // transfers of this step
  std::vector<ActionTime> times = {};                  // by action
  std::vector<TensorId> kept = {};                     // in order
  std::vector<std::byte> poisoned_copy = {};           // as large as the largest copy in storage
  StepCounts counts = {};
  const StepExchange* exchange = nullptr;  // of the step that runs

  const HomePlace* home_of(TensorId tensor) const;
  Failure begin(const poet_step_words& words);
  Failure poison_what_is_free();
  Failure walk();
  Failure execute(std::size_t a);
  double now_s() const { return options.clock_s ? options.clock_s() : 0; }

  Failure perform(const DoNothing&) { return std::nullopt; }
  void fetch_from_rom(const CallKernel& call) const;
  Failure perform(const CallKernel& call);
  Failure perform(LookupNumber number);
  Failure perform(RowUpdateNumber number);
  Failure perform(const ReadInput& input);
  Failure perform(const ReadStore& read);
  Failure perform(const WriteStore& write);
  Failure remember(const Result<Ticket>& ticket);
};

// --- Actions

void Executor::State::fetch_from_rom(const CallKernel& call) const {
  if (memory.rom == nullptr) return;
  const std::vector<std::size_t>& bytes =
      step.input_bytes[static_cast<std::size_t>(call.operation)];
  for (std::size_t k = 0; k < call.inputs.size(); ++k)
    memory.rom->fetch({static_cast<const std::byte*>(call.inputs[k]), bytes[k]});
}

Failure Executor::State::perform(const CallKernel& call) {
  ++counts.operations;
  fetch_from_rom(call);
  step.operations[static_cast<std::size_t>(call.operation)]->run(call.inputs, call.outputs,
                                                                 call.workspace);
  return std::nullopt;
}

// Indices as in poet/runtime/gather.h: negative ones count from the end, others outside pick zeros.
Failure Executor::State::perform(LookupNumber number) {
  const ReadRows& reading = step.lookups[static_cast<std::size_t>(number)];
  ++counts.operations;
  const auto row_bytes = static_cast<std::size_t>(reading.row_bytes);
  for (std::size_t i = 0; (i + 1) * row_bytes <= reading.rows.size(); ++i) {
    const std::span<std::byte> row = reading.rows.subspan(i * row_bytes, row_bytes);
    std::int64_t index = index_at(reading, i);
    if (index < 0) index += reading.table_rows;
    if (index < 0 || index >= reading.table_rows) {
      std::fill(row.begin(), row.end(), std::byte{0});
      continue;
    }
    counts.row_bytes += reading.row_bytes;
    if (Failure failure =
            memory.store->read(reading.table_offset_bytes + index * reading.row_bytes, row))
      return failure;
  }
  return std::nullopt;
}

// As poet_storage_update_rows_i32() does it on a board, and as large as a store may be.
Failure Executor::State::perform(RowUpdateNumber number) {
  const UpdateRows& update = step.row_updates[static_cast<std::size_t>(number)];
  ++counts.operations;
  auto* const row = reinterpret_cast<float*>(update.row.data());
  auto* const sum = reinterpret_cast<float*>(update.row_gradient.data());
  const poet_sgd_shape sgd = {update.shape.inner, 0};
  const auto row_bytes = static_cast<std::int64_t>(update.row.size());
  for (std::int32_t i = 0; i < update.shape.count; ++i) {
    const std::int64_t picked =
        update.index_type == ElementType::Int64
            ? poet_row_gradient_i64(&update.shape, static_cast<const std::int64_t*>(update.indices),
                                    update.gradient, i, sum)
            : poet_row_gradient_i32(&update.shape, static_cast<const std::int32_t*>(update.indices),
                                    update.gradient, i, sum);
    if (picked < 0) continue;
    const std::int64_t offset_bytes = update.table_offset_bytes + picked * row_bytes;
    if (Failure failure = memory.store->read(offset_bytes, update.row)) return failure;
    poet_sgd_update_f32(&sgd, row, sum, update.step, nullptr, row);
    if (Failure failure = memory.store->write(offset_bytes, update.row)) return failure;
    counts.row_bytes += row_bytes;
    counts.written_row_bytes += row_bytes;
  }
  return std::nullopt;
}

Failure Executor::State::perform(const ReadInput& input) {
  POET_CHECK(exchange->read_input);
  counts.input_bytes += static_cast<std::int64_t>(input.value.size());
  return exchange->read_input(input.tensor, input.value);
}

Failure Executor::State::remember(const Result<Ticket>& ticket) {
  if (!ticket.ok()) return ticket.error();
  tickets[begun++] = *ticket;
  return std::nullopt;
}

Failure Executor::State::perform(const ReadStore& read) {
  ++counts.reads;
  counts.read_bytes += static_cast<std::int64_t>(read.memory.size());
  if (overlapped) return remember(memory.store->start_read(read.offset_bytes, read.memory));
  return memory.store->read(read.offset_bytes, read.memory);
}

Failure Executor::State::perform(const WriteStore& write) {
  ++counts.writes;
  counts.written_bytes += static_cast<std::int64_t>(write.memory.size());
  if (overlapped) return remember(memory.store->start_write(write.offset_bytes, write.memory));
  return memory.store->write(write.offset_bytes, write.memory);
}

// --- The step

Failure Executor::State::poison_what_is_free() {
  for (const std::span<std::byte> free : step.free) poison(free);
  for (const FreeSlot& slot : step.free_slots) {
    const std::span copy =
        std::span(poisoned_copy).first(static_cast<std::size_t>(slot.size_bytes));
    if (Failure failure = memory.store->write(slot.offset_bytes, copy)) return failure;
  }
  return std::nullopt;
}

Failure Executor::State::begin(const poet_step_words& words) {
  counts = {};
  begun = 0;
  if (options.poison == Poison::On)
    if (Failure failure = poison_what_is_free()) return failure;
  if (!step.step_words.empty()) {
    POET_CHECK(step.step_words.size() == sizeof words);
    std::memcpy(step.step_words.data(), &words, sizeof words);
  }
  for (const ReadInput& input : step.resident_inputs)
    if (Failure failure = perform(input)) return failure;
  return std::nullopt;
}

Failure Executor::State::execute(std::size_t a) {
  const PreparedAction& action = reader->next();
  if (options.clock_s) times[a].begin_s = now_s();
  if (action.wait_for)
    if (Failure failure = memory.store->wait(tickets[static_cast<std::size_t>(*action.wait_for)]))
      return failure;
  if (options.clock_s) times[a].wait_s = now_s() - times[a].begin_s;
  const double begin_work_s = options.work_s ? options.work_s() : 0;
  if (action.again && !std::holds_alternative<DoNothing>(action.work))
    ++counts.recomputed_operations;
  if (Failure failure = std::visit([this](const auto& work) { return perform(work); }, action.work))
    return failure;
  if (exchange->take_output)
    for (const GivenOutput& given : action.gives.of(step.given))
      exchange->take_output(given.tensor, given.value);
  for (const std::span<std::byte> freed : action.poisoned.of(step.poisoned)) poison(freed);
  if (acted) acted(a);
  if (options.clock_s) times[a].end_s = now_s();
  if (options.clock_s && options.work_s) times[a].work_s = options.work_s() - begin_work_s;
  return std::nullopt;
}

Failure Executor::State::walk() {
  reader->rewind();
  const auto count = static_cast<std::size_t>(step.actions.size());
  for (std::size_t a = 0; a < count; ++a)
    if (Failure failure = execute(a)) return failure;
  return std::nullopt;
}

Failure Executor::run(const poet_step_words& words, const StepExchange& exchange) {
  State& state = *state_;
  state.exchange = &exchange;
  Failure failure = state.begin(words);
  if (!failure) failure = state.walk();
  if (state.memory.rom != nullptr) state.memory.rom->end_fetching();
  // Also after a failure: nobody may write to the arena when this returns.
  if (state.memory.store != nullptr) {
    Failure ended = state.memory.store->wait_all();
    if (!failure) failure = std::move(ended);
  }
  return failure;
}

// --- Values that outlive a step

const HomePlace* Executor::State::home_of(TensorId tensor) const {
  const auto place =
      std::lower_bound(step.kept.begin(), step.kept.end(), tensor,
                       [](const HomePlace& home, TensorId wanted) { return home.tensor < wanted; });
  return place == step.kept.end() || place->tensor != tensor ? nullptr : &*place;
}

std::span<const TensorId> Executor::kept() const {
  return state_->kept;
}

Failure Executor::set(TensorId tensor, const Initial& value) {
  const HomePlace* const home = state_->home_of(tensor);
  POET_CHECK(home != nullptr);
  return for_each_piece(value, home->type,
                        [&](std::int64_t offset_bytes, std::span<const std::byte> values) {
                          return set_part(tensor, offset_bytes, values);
                        });
}

Failure Executor::set_part(TensorId tensor, std::int64_t offset_bytes,
                           std::span<const std::byte> values) {
  const HomePlace* const home = state_->home_of(tensor);
  POET_CHECK(home != nullptr && offset_bytes >= 0);
  POET_CHECK(offset_bytes + static_cast<std::int64_t>(values.size()) <= size_bytes(home->type));
  if (home->memory.empty())
    return state_->memory.store->write(home->offset_bytes + offset_bytes, values);
  std::copy(values.begin(), values.end(), home->memory.begin() + offset_bytes);
  return std::nullopt;
}

Failure Executor::get_part(TensorId tensor, std::int64_t offset_bytes,
                           std::span<std::byte> values) const {
  const HomePlace* const home = state_->home_of(tensor);
  POET_CHECK(home != nullptr && offset_bytes >= 0);
  POET_CHECK(offset_bytes + static_cast<std::int64_t>(values.size()) <= size_bytes(home->type));
  if (home->memory.empty())
    return state_->memory.store->read(home->offset_bytes + offset_bytes, values);
  const auto first = home->memory.begin() + offset_bytes;
  std::copy(first, first + static_cast<std::ptrdiff_t>(values.size()), values.begin());
  return std::nullopt;
}

// --- The object

Result<std::unique_ptr<Executor>> Executor::create(const RunnableStep& step,
                                                   const ExecutorMemory& memory,
                                                   const ExecutorOptions& options) {
  if (Failure failure = check_step(step, *options.kernels)) return *failure;
  Result<PreparedStep> made = prepare_step(step, memory, *options.kernels, options.poison);
  if (!made.ok()) return made.error();
  auto state = std::make_unique<State>();
  state->memory = memory;
  state->options = options;
  state->overlapped = step.plan.problem.time_mode == TimeMode::Overlapped;
  state->step = *std::move(made);
  state->reader.emplace(state->step.actions);
  if (options.machine) state->acted = options.machine(step);
  state->tickets.resize(static_cast<std::size_t>(state->step.transfers));
  if (options.clock_s) state->times.resize(static_cast<std::size_t>(state->step.actions.size()));
  for (const HomePlace& home : state->step.kept) state->kept.push_back(home.tensor);
  for (const FreeSlot& slot : state->step.free_slots)
    if (static_cast<std::size_t>(slot.size_bytes) > state->poisoned_copy.size())
      state->poisoned_copy.resize(static_cast<std::size_t>(slot.size_bytes));
  poison(state->poisoned_copy);
  return std::unique_ptr<Executor>(new Executor(std::move(state)));
}

Executor::Executor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Executor::~Executor() = default;

const StepCounts& Executor::counts() const {
  return state_->counts;
}

std::span<const ActionTime> Executor::times() const {
  return state_->times;
}

}  // namespace poet
