// Programs of random steps: the checker is content with what lower_step() makes of them, and with
// nothing else. It never sees how a program was made.

#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "poet/autodiff/training_graph.h"
#include "poet/kernels/kernel_set.h"
#include "poet/lower/check_program.h"
#include "poet/lower/lower_step.h"
#include "poet/model/network_builder.h"
#include "poet/problem/facts.h"
#include "support/step_cases.h"
#include "support/training_runs.h"

namespace poet {
namespace {

using testing::step_cases;
using testing::StepCase;

StepTarget target_of(const Graph& graph, FreeMemory free = FreeMemory::Left) {
  return {.workspace_bytes = workspaces_of(graph, plain_kernels()),
          .block_bytes = testing::kRunAlignmentBytes,
          .free = free};
}

// A step with its program, which can be changed.
struct Lowered {
  RunnableStep step;
  StepTarget target;
  StepProgram program;

  std::string fault(const StepProgram& changed) const {
    const Failure failure = check_program(changed, {step.graph, step.plan, step.layout, target});
    return failure ? failure->message : "";
  }
};

Lowered lowered(const RunnableStep& step, FreeMemory free = FreeMemory::Left) {
  const StepTarget target = target_of(step.graph, free);
  return {step, target, lower_step(step.graph, step.plan, step.layout, target)};
}

class Programs : public ::testing::TestWithParam<StepCase> {};

TEST_P(Programs, DoWhatTheirPlansSay) {
  const StepCase& row = GetParam();
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    for (const TimeMode mode : {TimeMode::Blocking, TimeMode::Overlapped})
      for (const FreeMemory free : {FreeMemory::Left, FreeMemory::Filled})
        for (std::size_t form = 0; form < row.forms.size(); ++form) {
          SCOPED_TRACE(::testing::Message() << "seed " << seed << ", form " << form);
          const Lowered made = lowered(with_random_schedule(row, form, mode, seed), free);
          ASSERT_EQ(made.fault(made.program), "");
        }
}

TEST_P(Programs, AreTheSameForWhoeverAsksAgain) {
  const RunnableStep step = with_random_schedule(GetParam(), 0, TimeMode::Overlapped, 3);
  EXPECT_EQ(lowered(step).program, lowered(step).program);
}

// --- Changed programs

// Those with everything: rows of a table in storage, frozen values, workspaces, residents.
std::vector<Lowered> some_programs() {
  std::vector<Lowered> made;
  for (const StepCase& row : step_cases())
    if (row.name == "small_momentum" || row.name == "small_frozen" ||
        row.name == "small_choice_of_residents" || row.name == "transformer_and_its_evaluation" ||
        row.name == "transformer_rows")
      made.push_back(lowered(with_random_schedule(row, 0, TimeMode::Overlapped, 2)));
  return made;
}

using PlaceChange = std::function<void(BytePlace&)>;

// Each place that instructions name, in order.
void for_each_place(StepWork& work, const PlaceChange& look) {
  if (auto* const call = std::get_if<OperationCall>(&work)) {
    for (BytePlace& place : call->inputs) look(place);
    for (BytePlace& place : call->outputs) look(place);
    if (call->workspace) look(*call->workspace);
  } else if (auto* const lookup = std::get_if<RowLookup>(&work)) {
    for (BytePlace* const place : {&lookup->table, &lookup->indices, &lookup->rows}) look(*place);
  } else if (auto* const rows = std::get_if<StoredRowUpdate>(&work)) {
    for (BytePlace* const place :
         {&rows->table, &rows->indices, &rows->gradient, &rows->step, &rows->workspace})
      look(*place);
  } else if (auto* const feed = std::get_if<InputFeed>(&work)) {
    look(feed->value);
  } else if (auto* const words = std::get_if<StepWordsFeed>(&work)) {
    look(words->value);
  } else if (auto* const in = std::get_if<PageRead>(&work)) {
    for (BytePlace* const place : {&in->storage, &in->memory}) look(*place);
  } else if (auto* const out = std::get_if<PageWrite>(&work)) {
    for (BytePlace* const place : {&out->storage, &out->memory}) look(*place);
  }
}

void for_each_place(StepProgram& program, const PlaceChange& look) {
  for (StepWork& work : program.begin) for_each_place(work, look);
  for (StepInstruction& instruction : program.instructions) {
    for_each_place(instruction.work, look);
    for (TensorPlace& output : instruction.outputs) look(output.place);
  }
  for (TensorPlace& home : program.kept) look(home.place);
  for (TensorPlace& value : program.rom) look(value.place);
}

// Makes one change at a time: every place in `space` in turn.
void expect_every_change_found(AddressSpace space, const PlaceChange& change) {
  for (const Lowered& made : some_programs()) {
    StepProgram changed = made.program;
    std::vector<BytePlace*> places;
    for_each_place(changed, [&](BytePlace& place) {
      if (place.space == space) places.push_back(&place);
    });
    ASSERT_GT(places.size(), 0U);
    for (BytePlace* const place : places) {
      const BytePlace right = *place;
      change(*place);
      EXPECT_NE(made.fault(changed), "") << right.offset_bytes << " " << right.size_bytes;
      *place = right;
    }
    ASSERT_EQ(made.fault(changed), "");
  }
}

TEST(ChangedProgram, IsFoundWhereAPlaceInTheArenaMoves) {
  expect_every_change_found(AddressSpace::Arena,
                            [](BytePlace& place) { place.offset_bytes += 64; });
  expect_every_change_found(AddressSpace::Arena,
                            [](BytePlace& place) { place.offset_bytes -= 64; });
}

TEST(ChangedProgram, IsFoundWhereASlotMoves) {
  expect_every_change_found(AddressSpace::Storage,
                            [](BytePlace& place) { place.offset_bytes += 64; });
}

TEST(ChangedProgram, IsFoundWhereAPlaceInTheRomMoves) {
  const auto found_with = [](const PlaceChange& change) {
    for (const Lowered& made : some_programs()) {
      if (made.program.rom.empty()) continue;
      StepProgram changed = made.program;
      std::vector<BytePlace*> places;
      for_each_place(changed, [&](BytePlace& place) {
        if (place.space == AddressSpace::Rom) places.push_back(&place);
      });
      for (BytePlace* const place : places) {
        const BytePlace right = *place;
        change(*place);
        EXPECT_NE(made.fault(changed), "");
        *place = right;
      }
    }
  };
  found_with([](BytePlace& place) { place.offset_bytes += 64; });
  found_with([](BytePlace& place) { place.offset_bytes = -64; });
  found_with([](BytePlace& place) { place.size_bytes -= 1; });
}

TEST(ChangedProgram, IsFoundWhereASizeIsCut) {
  for (const AddressSpace space : {AddressSpace::Arena, AddressSpace::Storage})
    expect_every_change_found(space, [](BytePlace& place) { place.size_bytes -= 4; });
}

TEST(ChangedProgram, IsFoundWhereAPlaceIsInAnotherSpace) {
  expect_every_change_found(AddressSpace::Arena,
                            [](BytePlace& place) { place.memory = MemoryId{1}; });
  expect_every_change_found(AddressSpace::Arena,
                            [](BytePlace& place) { place.space = AddressSpace::Storage; });
  expect_every_change_found(AddressSpace::Storage,
                            [](BytePlace& place) { place.space = AddressSpace::Arena; });
}

// One change of an instruction at a time; how many there were.
using InstructionChange = std::function<bool(StepProgram&, std::size_t)>;
std::int64_t expect_every_change_found(const Lowered& made, const InstructionChange& change) {
  std::int64_t changes = 0;
  for (std::size_t a = 0; a < made.program.instructions.size(); ++a) {
    StepProgram changed = made.program;
    if (!change(changed, a)) continue;
    ++changes;
    EXPECT_NE(made.fault(changed), "") << "instruction " << a;
  }
  return changes;
}

TEST(ChangedProgram, IsFoundWhereAWaitIsLeftOut) {
  std::int64_t changes = 0;
  for (const Lowered& made : some_programs())
    changes += expect_every_change_found(made, [](StepProgram& program, std::size_t a) {
      return std::exchange(program.instructions[a].wait_for, std::nullopt).has_value();
    });
  EXPECT_GT(changes, 20);
}

TEST(ChangedProgram, IsFoundWhereAWaitIsForATransferBefore) {
  for (const Lowered& made : some_programs())
    expect_every_change_found(made, [](StepProgram& program, std::size_t a) {
      std::optional<std::int64_t>& wait_for = program.instructions[a].wait_for;
      if (wait_for) --*wait_for;
      return wait_for.has_value();
    });
}

TEST(ChangedProgram, IsFoundWhereAWaitIsForATransferToCome) {
  for (const Lowered& made : some_programs())
    expect_every_change_found(made, [](StepProgram& program, std::size_t a) {
      program.instructions[a].wait_for = program.transfers;
      return true;
    });
}

TEST(ChangedProgram, IsFoundWhereTwoInstructionsChangePlaces) {
  for (const Lowered& made : some_programs())
    expect_every_change_found(made, [](StepProgram& program, std::size_t a) {
      if (a == 0) return false;
      std::swap(program.instructions[a - 1].work, program.instructions[a].work);
      return program.instructions[a - 1].work != program.instructions[a].work;
    });
}

TEST(ChangedProgram, IsFoundWhereNothingIsDone) {
  for (const Lowered& made : some_programs())
    expect_every_change_found(made, [](StepProgram& program, std::size_t a) {
      return !std::holds_alternative<NoWork>(std::exchange(program.instructions[a].work, NoWork{}));
    });
}

TEST(ChangedProgram, IsFoundWhereOperandsChangePlaces) {
  std::int64_t changes = 0;
  for (const Lowered& made : some_programs())
    changes += expect_every_change_found(made, [](StepProgram& program, std::size_t a) {
      auto* const call = std::get_if<OperationCall>(&program.instructions[a].work);
      if (call == nullptr || call->inputs.size() < 2 || call->inputs[0] == call->inputs[1])
        return false;
      std::swap(call->inputs[0], call->inputs[1]);
      return true;
    });
  EXPECT_GT(changes, 20);
}

TEST(ChangedProgram, IsFoundWhereACallIsAnotherOne) {
  for (const Lowered& made : some_programs()) {
    expect_every_change_found(made, [](StepProgram& program, std::size_t a) {
      auto* const call = std::get_if<OperationCall>(&program.instructions[a].work);
      if (call != nullptr) call->operation = OperationId{index_of(call->operation) ^ 1};
      return call != nullptr;
    });
    expect_every_change_found(made, [](StepProgram& program, std::size_t a) {
      auto* const call = std::get_if<OperationCall>(&program.instructions[a].work);
      if (call != nullptr)
        call->kind = call->kind == Operator::Relu ? Operator::Tanh : Operator::Relu;
      return call != nullptr;
    });
    expect_every_change_found(made, [](StepProgram& program, std::size_t a) {
      auto* const lookup = std::get_if<RowLookup>(&program.instructions[a].work);
      if (lookup != nullptr) --lookup->table_rows;
      return lookup != nullptr;
    });
    expect_every_change_found(made, [](StepProgram& program, std::size_t a) {
      auto* const rows = std::get_if<StoredRowUpdate>(&program.instructions[a].work);
      if (rows != nullptr) rows->row_bytes /= 2;
      return rows != nullptr;
    });
    expect_every_change_found(made, [](StepProgram& program, std::size_t a) {
      program.instructions[a].again = !program.instructions[a].again;
      return true;
    });
  }
}

TEST(ChangedProgram, IsFoundWhereAnOutputIsNotGiven) {
  for (const Lowered& made : some_programs()) {
    const std::int64_t changes =
        expect_every_change_found(made, [](StepProgram& program, std::size_t a) {
          return !std::exchange(program.instructions[a].outputs, {}).empty();
        });
    EXPECT_EQ(changes, std::ssize(made.step.graph.outputs));
  }
}

TEST(ChangedProgram, IsFoundWhereItKeepsTooLittle) {
  for (const Lowered& made : some_programs()) {
    StepProgram changed = made.program;
    changed.kept.pop_back();
    EXPECT_NE(made.fault(changed), "");
    changed = made.program;
    changed.begin.pop_back();
    EXPECT_NE(made.fault(changed), "");
    changed = made.program;
    changed.instructions.pop_back();
    EXPECT_NE(made.fault(changed), "");
    changed = made.program;
    ++changed.transfers;
    EXPECT_NE(made.fault(changed), "");
  }
}

TEST(ChangedProgram, IsFoundWhereWhatIsInUseIsTakenForFree) {
  for (const StepCase& row : step_cases()) {
    if (row.name != "small_resident") continue;
    const Lowered made =
        lowered(with_random_schedule(row, 0, TimeMode::Blocking, 2), FreeMemory::Filled);
    const BytePlace all{AddressSpace::Arena, 0, made.program.arena_bytes};
    StepProgram changed = made.program;
    changed.free.push_back(all);
    EXPECT_NE(made.fault(changed), "");
    expect_every_change_found(made, [&all](StepProgram& program, std::size_t a) {
      program.instructions[a].freed = {all};
      return true;
    });
  }
}

// --- Layouts that are none: places are those of the layout, and still a value is lost.

// Moves one buffer at a time to where another one begins.
TEST(ProgramOfABadLayout, LosesAValueOnlyWhereTheLayoutIsAtFault) {
  std::int64_t found = 0;
  const StepCase row = step_cases().front();
  const RunnableStep right = with_random_schedule(row, 0, TimeMode::Blocking, 2);
  for (std::size_t b = 1; b < right.plan.buffers.size(); ++b) {
    RunnableStep step = right;
    step.layout.buffer_offset_bytes[b] = step.layout.buffer_offset_bytes[b - 1];
    const Lowered made = lowered(step);
    const std::string fault = made.fault(made.program);
    if (fault.empty()) continue;
    ++found;
    EXPECT_TRUE(check_layout(step.plan, step.layout)) << fault;
  }
  EXPECT_GT(found, 20);
}

TEST(ProgramOfABadLayout, ReadsAnotherCopyFromStorage) {
  std::int64_t found = 0;
  const StepCase row = step_cases().front();
  const RunnableStep right = with_random_schedule(row, 0, TimeMode::Blocking, 2);
  for (std::size_t i = 0; i < right.graph.tensors.size(); ++i) {
    if (right.graph.tensors[i].home != Home::Made || !right.layout.slot_offset_bytes[i]) continue;
    RunnableStep step = right;
    step.layout.slot_offset_bytes[i] = 0;
    const Lowered made = lowered(step);
    const std::string fault = made.fault(made.program);
    if (fault.empty()) continue;
    ++found;
    EXPECT_TRUE(check_layout(step.plan, step.layout)) << fault;
  }
  EXPECT_GT(found, 5);
}

// --- Sentences

// y = relu(x w), of which w is trained.
Lowered lowered_layer() {
  NetworkBuilder net;
  TensorId x = add_input(net, "x", {ElementType::Float32, {4, 5}});
  x = linear(net, "fc", x, 3, Bias::Without);
  add_output(net, "y", apply(net, Operator::Relu, "relu", {x}));
  const TrainingGraph step = *training_graph(net.model, {.loss = Loss::MeanSquaredError});
  const Problem problem = testing::problem_to_run(step);
  return lowered(testing::runnable_step(step, problem, plain_schedule(problem)));
}

OperationCall& call_of(const Lowered& made, StepProgram& program, std::string_view name) {
  for (StepInstruction& instruction : program.instructions)
    if (auto* const call = std::get_if<OperationCall>(&instruction.work))
      if (at(made.step.graph.operations, call->operation).name == name) return *call;
  ADD_FAILURE() << "nothing calls " << name;
  return std::get<OperationCall>(program.instructions.front().work);
}

TEST(CheckProgram, SaysWhatIsWrongAndWhere) {
  const Lowered made = lowered_layer();
  ASSERT_EQ(made.fault(made.program), "");
  StepProgram changed = made.program;
  call_of(made, changed, "relu").inputs[0].offset_bytes += 64;
  EXPECT_EQ(made.fault(changed),
            "instruction 3: reads 'fc' at bytes 320 to 368 of the arena, and its place is bytes "
            "256 to 304 of the arena");
  changed = made.program;
  call_of(made, changed, "fc").kind = Operator::Relu;
  EXPECT_EQ(made.fault(changed), "instruction 2: does not call 'fc' on its operands");
  changed = made.program;
  changed.instructions.front().wait_for = 0;
  EXPECT_EQ(made.fault(changed), "instruction 0: waits for transfer 0, and 0 have begun");
  changed = made.program;
  changed.kept.front().place.offset_bytes += 64;
  EXPECT_EQ(made.fault(changed),
            "keeps 'fc.weight' at bytes 192 to 252 of storage, and its place is bytes 128 to 188 "
            "of storage");
}

TEST(CheckProgram, SaysWhichValueIsLost) {
  Lowered made = lowered_layer();
  for (std::int64_t& offset_bytes : made.step.layout.buffer_offset_bytes) offset_bytes = 0;
  const Lowered lost = lowered(made.step);
  EXPECT_EQ(lost.fault(lost.program),
            "instruction 2: reads 'x' at bytes 0 to 80 of the arena, where 'fc.weight' of "
            "instruction 1 is");
}

INSTANTIATE_TEST_SUITE_P(Lower, Programs, ::testing::ValuesIn(step_cases()),
                         [](const ::testing::TestParamInfo<StepCase>& row) {
                           return row.param.name;
                         });

}  // namespace
}  // namespace poet
