#include "poet/verify/rules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "poet/verify/replay.h"

namespace poet {
namespace {

TensorId t(int i) {
  return TensorId{i};
}
OperationId op(int v) {
  return OperationId{v};
}

enum : int { kX, kW, kA, kFlat, kLoss, kGrad, kNewW, kTable };

// One layer and its update: a = x w, flat is a view of a, new_w takes the place of w.
Problem one_layer() {
  Problem problem;
  problem.tensors = {
      {.name = "x", .size_bytes = 10, .home = Home::Storage},
      {.name = "w", .size_bytes = 20, .home = Home::Storage, .may_be_resident = true},
      {.name = "a", .size_bytes = 30},
      {.name = "flat", .size_bytes = 30, .view_of = t(kA)},
      {.name = "loss", .size_bytes = 4},
      {.name = "grad", .size_bytes = 20},
      {.name = "new_w", .size_bytes = 20, .updates = t(kW)},
      {.name = "table", .size_bytes = 50, .home = Home::Rom}};
  problem.operations = {
      {.name = "layer", .inputs = {t(kX), t(kW)}, .outputs = {t(kA)}, .compute_s = 1},
      {.name = "flatten", .inputs = {t(kA)}, .outputs = {t(kFlat)}, .view = true},
      {.name = "loss", .inputs = {t(kFlat), t(kTable)}, .outputs = {t(kLoss)}, .compute_s = 1},
      {.name = "back", .inputs = {t(kX), t(kLoss)}, .outputs = {t(kGrad)}, .compute_s = 1},
      {.name = "sgd", .inputs = {t(kW), t(kGrad)}, .outputs = {t(kNewW)}, .once = true}};
  problem.ram_budget_bytes = 64;
  return problem;
}

std::vector<Action> valid_actions() {
  return {PageIn{t(kX)}, PageIn{t(kW)},  Compute{op(0)},    Compute{op(1)}, Compute{op(2)},
          Drop{t(kA)},   Compute{op(3)}, Drop{t(kX)},       Drop{t(kLoss)}, Compute{op(4)},
          Drop{t(kW)},   Drop{t(kGrad)}, PageOut{t(kNewW)}, Drop{t(kNewW)}};
}

std::vector<Action> without(std::vector<Action> actions, std::size_t position) {
  actions.erase(actions.begin() + static_cast<std::ptrdiff_t>(position));
  return actions;
}
std::vector<Action> with(std::vector<Action> actions, std::size_t position, Action action) {
  actions.insert(actions.begin() + static_cast<std::ptrdiff_t>(position), action);
  return actions;
}

std::vector<std::string> messages(const Problem& problem, const Schedule& schedule) {
  std::vector<std::string> result;
  for (const Finding& finding : replay(problem, schedule).findings)
    result.push_back(finding.message);
  return result;
}
std::vector<std::string> messages(const std::vector<Action>& actions) {
  return messages(one_layer(), {.actions = actions});
}
using Messages = std::vector<std::string>;

TEST(Rules, AValidStepHasNoFindings) {
  EXPECT_EQ(messages(valid_actions()), Messages{});
}

TEST(Rules, FindingNamesActionOperationTensorAndBytes) {
  const Replay result = replay(one_layer(), {.actions = without(valid_actions(), 1)});
  ASSERT_EQ(result.findings.size(), 1u);
  const Finding expected = {.rule = Rule::InputNotInRam,
                            .action = 1,
                            .operation = op(0),
                            .tensor = t(kW),
                            .bytes = 20,
                            .message =
                                "action 1 computes 'layer', which needs 'w' (20 bytes) in "
                                "RAM; it is only in storage"};
  EXPECT_EQ(result.findings[0], expected);
}

TEST(Rules, UnknownOperation) {
  EXPECT_EQ(messages(with(valid_actions(), 2, Compute{op(5)})),
            Messages{"action 2 computes operation 5; the problem has 5 operations"});
  EXPECT_EQ(messages(with(valid_actions(), 0, Compute{op(-1)})),
            Messages{"action 0 computes operation -1; the problem has 5 operations"});
}

TEST(Rules, UnknownTensor) {
  EXPECT_EQ(messages(with(valid_actions(), 2, PageOut{t(8)})),
            Messages{"action 2 writes tensor 8 to storage; the problem has 8 tensors"});
  EXPECT_EQ(messages(with(valid_actions(), 2, Drop{t(-1)})),
            Messages{"action 2 drops tensor -1; the problem has 8 tensors"});
}

TEST(Rules, AViewIsMovedByTheNameOfItsRoot) {
  EXPECT_EQ(messages(with(valid_actions(), 4, PageIn{t(kFlat)})),
            Messages{"action 4 reads tensor 3 from storage; it is 'flat', a view of 'a', which "
                     "must be named instead"});
}

TEST(Rules, InputThatWasDroppedIsNowhere) {
  EXPECT_EQ(messages(with(without(valid_actions(), 5), 3, Drop{t(kA)})),
            (Messages{"action 4 computes 'flatten', which needs 'a' (30 bytes) in RAM; it is "
                      "neither there nor in storage"}));
}

TEST(Rules, AMissingInputIsTakenAsPresentFromThenOn) {
  // Both 'flatten' and 'loss' need a; so does the Drop behind them.
  EXPECT_EQ(messages(with(valid_actions(), 3, Drop{t(kA)})).size(), 1u);
}

TEST(Rules, OperationThatIsNeverExecuted) {
  Problem problem = one_layer();
  problem.operations.push_back({.name = "norm", .inputs = {t(kTable)}, .outputs = {t(8)}});
  problem.tensors.push_back({.name = "n", .size_bytes = 1});
  const Replay result = replay(problem, {.actions = valid_actions()});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].message, "operation 'norm' is never executed");
  EXPECT_EQ(result.findings[0].action, 14);
  EXPECT_EQ(result.findings[0].operation, op(5));
}

TEST(Rules, OnceIsOnce) {
  Problem problem = one_layer();
  problem.operations[2].once = true;
  EXPECT_EQ(messages(problem, {.actions = with(valid_actions(), 5, Compute{op(2)})}),
            Messages{"action 5 computes 'loss' a second time; it may be executed only once"});
}

TEST(Rules, FirstExecutionsFollowTheOrder) {
  Problem problem = one_layer();
  problem.operations[3].inputs = {t(kX)};  // 'back' could run before 'loss', but for the rule
  std::vector<Action> actions = valid_actions();
  std::swap(actions[4], actions[6]);
  problem.ram_budget_bytes = 100;
  std::swap(actions[5], actions[6]);
  EXPECT_EQ(messages(problem, {.actions = actions}),
            Messages{"action 4 computes 'back' for the first time before 'loss', which comes "
                     "earlier in the order"});
}

TEST(Rules, PageOutOfWhatIsNotInRam) {
  EXPECT_EQ(messages(with(valid_actions(), 7, PageOut{t(kA)})),
            Messages{"action 7 writes 'a' (30 bytes) to storage; it is not in RAM"});
}

TEST(Rules, PageInOfWhatWasNeverWritten) {
  EXPECT_EQ(messages(with(valid_actions(), 4, PageIn{t(kA)})),
            Messages{"action 4 reads 'a' (30 bytes) from storage; no copy of it is there"});
}

TEST(Rules, DropOfWhatIsNotInRam) {
  EXPECT_EQ(messages(with(valid_actions(), 6, Drop{t(kA)})),
            Messages{"action 6 drops 'a' (30 bytes); it is not in RAM"});
}

TEST(Rules, RomNeverMoves) {
  EXPECT_EQ(messages(with(valid_actions(), 0, PageIn{t(kTable)})),
            Messages{"action 0 reads 'table' (50 bytes) from storage; it is read-only memory and "
                     "never moves"});
}

TEST(Rules, ResidentsNeverMove) {
  const std::vector<Action> actions = valid_actions();  // moves w and new_w five times
  EXPECT_EQ(messages(one_layer(), {.actions = actions, .resident = {t(kW)}}),
            (Messages{"action 1 reads 'w' (20 bytes) from storage; it is resident and stays in "
                      "RAM for the whole step",
                      "action 10 drops 'w' (20 bytes); it is resident and stays in RAM for the "
                      "whole step",
                      "action 12 writes 'new_w' (20 bytes) to storage; it is resident and stays "
                      "in RAM for the whole step",
                      "action 13 drops 'new_w' (20 bytes); it is resident and stays in RAM for "
                      "the whole step"}));
}

TEST(Rules, NothingComputesWithAnOldValue) {
  Problem problem = one_layer();
  problem.ram_budget_bytes = 100;
  EXPECT_EQ(
      messages(problem,
               {.actions = with(with(with(valid_actions(), 10, Compute{op(0)}), 10, PageIn{t(kX)}),
                                12, Drop{t(kA)})}),
      Messages{"action 11 computes 'layer', which reads 'w', although 'new_w' has replaced "
               "it"});
}

TEST(Rules, AnOldValueAndItsViewAreOneInput) {
  Problem problem = one_layer();
  problem.ram_budget_bytes = 100;
  problem.tensors[kFlat] = {
      .name = "w_flat", .size_bytes = 20, .home = Home::Storage, .view_of = t(kW)};
  problem.operations[1].inputs = {t(kW)};
  problem.operations[2].inputs = {t(kW), t(kFlat)};
  EXPECT_EQ(messages(problem, {.actions = with(valid_actions(), 10, Compute{op(2)})}),
            Messages{"action 10 computes 'loss', which reads 'w', although 'new_w' has replaced "
                     "it"});
}

TEST(Rules, AnOldValueIsNotReadFromStorageNorWrittenThere) {
  EXPECT_EQ(messages(with(valid_actions(), 10, PageIn{t(kW)})),
            Messages{"action 10 reads 'w' from storage, although 'new_w' has replaced it"});
  EXPECT_EQ(messages(with(valid_actions(), 10, PageOut{t(kW)})),
            Messages{"action 10 writes 'w' to storage, although 'new_w' has replaced it"});
}

TEST(Rules, RamBudget) {
  Problem problem = one_layer();
  problem.ram_budget_bytes = 63;
  const Replay result = replay(problem, {.actions = valid_actions()});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].message,
            "action 4 computes 'loss' with 64 bytes of RAM in use; the budget is 63 bytes");
  EXPECT_EQ(result.findings[0].bytes, 64);
}

TEST(Rules, RamBudgetHoldsForReadsToo) {
  Problem problem = one_layer();
  problem.ram_budget_bytes = 69;
  EXPECT_EQ(messages(problem,
                     {.actions = with(with(valid_actions(), 10, PageIn{t(kX)}), 11, Drop{t(kX)})}),
            Messages{"action 10 reads 'x' from storage with 70 bytes of RAM in use; the budget is "
                     "69 bytes"});
}

TEST(Rules, DeadlineWithItsTolerance) {
  Problem problem = one_layer();
  problem.deadline_s = 2.5;
  EXPECT_EQ(messages(problem, {.actions = valid_actions()}),
            Messages{"the step takes 3 s; the deadline is 2.5 s"});
  const Schedule schedule = {.actions = valid_actions()};
  EXPECT_TRUE(replay(problem, schedule, {.deadline_tolerance_ratio = 0.2}).valid());
  EXPECT_FALSE(replay(problem, schedule, {.deadline_tolerance_ratio = 0.19}).valid());
}

TEST(Rules, StorageCapacityIsReportedWhereItIsFirstExceeded) {
  Problem problem = one_layer();
  problem.storage_capacity_bytes = 59;
  std::vector<Action> actions = with(valid_actions(), 3, PageOut{t(kA)});
  actions = with(actions, 6, PageOut{t(kLoss)});
  EXPECT_EQ(messages(problem, {.actions = actions}),
            Messages{"action 3 writes 'a' (30 bytes) to storage, which brings storage to 60 bytes; "
                     "its capacity is 59 bytes"});
  problem.storage_capacity_bytes = 64;
  EXPECT_EQ(messages(problem, {.actions = actions}), Messages{});
}

TEST(Rules, HomesAloneMayExceedTheCapacity) {
  Problem problem = one_layer();
  problem.storage_capacity_bytes = 29;
  EXPECT_EQ(messages(problem, {.actions = valid_actions()}),
            Messages{"the tensors at home in storage take 30 bytes; its capacity is 29 bytes"});
}

TEST(Rules, WriteBudgetCountsEveryWrite) {
  Problem problem = one_layer();
  problem.write_budget_bytes = 39;
  EXPECT_EQ(messages(problem, {.actions = with(valid_actions(), 12, PageOut{t(kNewW)})}),
            Messages{"action 13 writes 'new_w' (20 bytes) to storage, which brings the step's "
                     "writes to 40 bytes; at most 39 bytes may be written"});
}

TEST(Rules, WriteBudgetCountsWhatOperationsWriteThemselves) {
  Problem problem = one_layer();
  problem.operations[4].written_bytes = 7;
  problem.write_budget_bytes = 27;
  EXPECT_EQ(messages(problem, {.actions = valid_actions()}), Messages{});
  EXPECT_EQ(replay(problem, {.actions = valid_actions()}).written_bytes, 27);
  problem.write_budget_bytes = 6;
  EXPECT_EQ(messages(problem, {.actions = valid_actions()}),
            Messages{"action 9 computes 'sgd', which brings the step's writes to 7 bytes; at most "
                     "6 bytes may be written"});
}

TEST(Rules, WriteBudgetIsReportedWhereItIsFirstExceeded) {
  Problem problem = one_layer();
  problem.write_budget_bytes = 19;
  EXPECT_EQ(messages(problem, {.actions = with(valid_actions(), 12, PageOut{t(kNewW)})}),
            Messages{"action 12 writes 'new_w' (20 bytes) to storage, which brings the step's "
                     "writes to 20 bytes; at most 19 bytes may be written"});
}

TEST(Rules, UpdatesEndInStorage) {
  EXPECT_EQ(messages(without(valid_actions(), 12)),
            Messages{"'new_w' (20 bytes), the new value of 'w', is not in storage when the step "
                     "ends"});
}

TEST(Rules, WithoutPagingOnlyUpdatesAreWritten) {
  Problem problem = one_layer();
  problem.paging_allowed = false;
  EXPECT_EQ(messages(problem, {.actions = valid_actions()}), Messages{});
  EXPECT_EQ(messages(problem, {.actions = with(valid_actions(), 5, PageOut{t(kLoss)})}),
            Messages{"action 5 writes 'loss' (4 bytes) to storage; this problem does not allow "
                     "paging"});
  EXPECT_EQ(messages(problem, {.actions = with(valid_actions(), 5, PageOut{t(kX)})}),
            Messages{"action 5 writes 'x' (10 bytes) to storage; this problem does not allow "
                     "paging"});
}

TEST(Rules, WithoutPagingOnlyHomesAndNewValuesAreRead) {
  Problem problem = one_layer();
  problem.paging_allowed = false;
  EXPECT_EQ(messages(problem, {.actions = with(valid_actions(), 13, PageIn{t(kNewW)})}),
            Messages{});
  EXPECT_EQ(messages(problem, {.actions = with(valid_actions(), 5, PageIn{t(kLoss)})}),
            (Messages{"action 5 reads 'loss' (4 bytes) from storage; this problem does not allow "
                      "paging",
                      "action 5 reads 'loss' (4 bytes) from storage; no copy of it is there"}));
}

TEST(Rules, WithoutRematerialisationNothingRunsTwice) {
  Problem problem = one_layer();
  problem.rematerialisation_allowed = false;
  EXPECT_EQ(messages(problem, {.actions = with(valid_actions(), 4, Compute{op(1)})}),
            Messages{"action 4 computes 'flatten' again; this problem does not allow "
                     "rematerialisation"});
}

TEST(Rules, ResidentsMustBeAllowedAndKnown) {
  EXPECT_EQ(messages(one_layer(), {.actions = valid_actions(), .resident = {t(kX)}}),
            Messages{"the schedule keeps 'x' (10 bytes) resident; this problem does not allow it"});
  EXPECT_EQ(messages(one_layer(), {.actions = valid_actions(), .resident = {t(9)}}),
            Messages{"the schedule keeps tensor 9 resident; the problem has 8 tensors"});
  EXPECT_EQ(messages(one_layer(), {.actions = valid_actions(), .resident = {t(kFlat)}}),
            Messages{"the schedule keeps tensor 3 resident; it is 'flat', a view of 'a', which "
                     "must be named instead"});
}

TEST(Rules, TheNewValueOfAResidentIsThereOnceItsUpdateHasRun) {
  Problem problem = one_layer();
  problem.tensors[kW].home = Home::Resident;
  problem.tensors[kNewW].home = Home::Resident;
  problem.operations[2].inputs = {t(kFlat), t(kNewW)};
  std::vector<Action> actions = valid_actions();
  for (const std::size_t position : {13, 12, 10, 1}) actions = without(actions, position);
  EXPECT_EQ(messages(problem, {.actions = actions}),
            Messages{"action 3 computes 'loss', which needs 'new_w' (20 bytes) in RAM; its update "
                     "has not run yet"});
}

TEST(Rules, OneByteIsWrittenInTheSingular) {
  Problem problem = one_layer();
  problem.tensors[kX].size_bytes = 1;
  EXPECT_EQ(messages(problem, {.actions = with(valid_actions(), 8, Drop{t(kX)})}),
            Messages{"action 8 drops 'x' (1 byte); it is not in RAM"});
}

}  // namespace
}  // namespace poet
