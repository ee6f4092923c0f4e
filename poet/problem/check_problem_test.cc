#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "poet/problem/problem.h"

namespace poet {
namespace {

TensorId tensor(int i) {
  return TensorId{i};
}

// 0 x (storage) -> 1 a -> 2 v (a view of a) -> 3 y; then w (4, storage) is updated to w' (5) from
// y.
Problem well_formed() {
  Problem problem;
  problem.ram_budget_bytes = 100;
  problem.tensors = {{.name = "x", .size_bytes = 8, .home = Home::Storage},
                     {.name = "a", .size_bytes = 4},
                     {.name = "v", .view_of = tensor(1)},
                     {.name = "y", .size_bytes = 4},
                     {.name = "w", .size_bytes = 2, .home = Home::Storage, .may_be_resident = true},
                     {.name = "w'", .size_bytes = 2, .updates = tensor(4)},
                     {.name = "table", .size_bytes = 9, .home = Home::Rom}};
  problem.operations = {
      {.name = "conv",
       .inputs = {tensor(0), tensor(6)},
       .outputs = {tensor(1)},
       .in_place = InPlace{tensor(0), tensor(1)}},
      {.name = "flatten", .inputs = {tensor(1)}, .outputs = {tensor(2)}, .view = true},
      {.name = "relu",
       .inputs = {tensor(2), tensor(4)},
       .outputs = {tensor(3)},
       .in_place = InPlace{tensor(2), tensor(3)}},
      {.name = "sgd", .inputs = {tensor(3), tensor(4)}, .outputs = {tensor(5)}, .once = true}};
  return problem;
}

struct Row {
  std::string message;
  std::function<void(Problem&)> breaks;
};

void expect_faults(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.message);
    Problem problem = well_formed();
    row.breaks(problem);
    const Failure failure = check_problem(problem);
    ASSERT_TRUE(failure);
    EXPECT_EQ(to_string(*failure), row.message);
  }
}

constexpr std::int64_t kBig = std::int64_t{1} << 62;
constexpr const char* kTooManyBytes =
    "the problem has sizes that add up to more than 2^53 bytes, above which doubles skip some";

TEST(CheckProblem, RefusesNumbersOutOfRange) {
  expect_faults(
      {Row{"the problem has no operations", [](Problem& p) { p.operations.clear(); }},
       Row{"the problem needs a RAM budget from 0 to 2^62 bytes",
           [](Problem& p) { p.ram_budget_bytes = -1; }},
       Row{"the problem needs a deadline of at least 0 s", [](Problem& p) { p.deadline_s = NAN; }},
       Row{"the problem needs a storage capacity from 0 to 2^62 bytes",
           [](Problem& p) { p.storage_capacity_bytes = -1; }},
       Row{"the problem needs a write budget from 0 to 2^62 bytes",
           [](Problem& p) { p.write_budget_bytes = kBig + 1; }},
       Row{"the problem needs an idle power of at least 0 W",
           [](Problem& p) { p.idle_w = INFINITY; }},
       Row{"tensor 1 'a' must have a size from 0 to 2^62 bytes",
           [](Problem& p) { p.tensors[1].size_bytes = -1; }},
       Row{"tensor 1 'a' must have transfer energies of at least 0 J",
           [](Problem& p) { p.tensors[1].page_out_j = -1; }},
       Row{"tensor 1 'a' must have transfer times of at least 0 s",
           [](Problem& p) { p.tensors[1].page_in_s = NAN; }},
       Row{"operation 0 'conv' must have a workspace from 0 to 2^62 bytes",
           [](Problem& p) { p.operations[0].workspace_bytes = -1; }},
       Row{"operation 0 'conv' must have an energy of at least 0 J",
           [](Problem& p) { p.operations[0].compute_j = -0.5; }},
       Row{"operation 0 'conv' must have a time of at least 0 s",
           [](Problem& p) { p.operations[0].compute_s = INFINITY; }},
       Row{kTooManyBytes, [](Problem& p) { p.tensors[1].size_bytes = std::int64_t{1} << 53; }},
       Row{kTooManyBytes, [](Problem& p) {
             p.tensors[1].size_bytes = kBig;
             p.tensors[3].size_bytes = kBig;
           }}});
}

// Search and verifier would say something of them, and neither could mean it.
TEST(CheckProblem, RefusesFiguresThatDoublesCannotCompare) {
  const std::string range = "; what is not 0 must be from 1e-60 to 1e+60 ";
  expect_faults({Row{"the problem has a deadline of 1e-323 s" + range + "s",
                     [](Problem& p) { p.deadline_s = 1e-323; }},
                 Row{"the problem has a deadline of 1e+300 s" + range + "s",
                     [](Problem& p) { p.deadline_s = 1e300; }},
                 Row{"the problem has an idle power of 1e-61 W" + range + "W",
                     [](Problem& p) { p.idle_w = 1e-61; }},
                 Row{"tensor 1 'a' has a transfer energy of 1e+300 J" + range + "J",
                     [](Problem& p) { p.tensors[1].page_out_j = 1e300; }},
                 Row{"tensor 1 'a' has a transfer time of 1e-323 s" + range + "s",
                     [](Problem& p) { p.tensors[1].page_in_s = 1e-323; }},
                 Row{"operation 0 'conv' has an energy of 1e-323 J" + range + "J",
                     [](Problem& p) { p.operations[0].compute_j = 1e-323; }},
                 Row{"operation 0 'conv' has a time of 1e+300 s" + range + "s",
                     [](Problem& p) { p.operations[0].compute_s = 1e300; }}});
}

TEST(CheckProblem, RefusesOperationsThatDoNotFitTogether) {
  expect_faults(
      {Row{"operation 1 'flatten' must have an output",
           [](Problem& p) { p.operations[1].outputs.clear(); }},
       Row{"operation 0 names tensor 7, but there are only tensors 0 to 6",
           [](Problem& p) {
             p.operations[0].name = "";
             p.operations[0].inputs = {tensor(7)};
           }},
       Row{"operation 0 'conv' names tensor -1, but there are only tensors 0 to 6",
           [](Problem& p) { p.operations[0].outputs = {tensor(-1)}; }},
       Row{"operation 2 'relu' reads tensor 2 'v' twice",
           [](Problem& p) {
             p.operations[2].inputs = {tensor(2), tensor(4), tensor(2)};
           }},
       Row{"operation 2 'relu' makes tensor 1 'a', which operation 0 'conv' makes already",
           [](Problem& p) {
             p.operations[2].outputs = {tensor(3), tensor(1)};
           }},
       Row{"operation 2 'relu' makes tensor 0 'x', which is there before the step begins",
           [](Problem& p) {
             p.operations[2].outputs = {tensor(3), tensor(0)};
           }},
       Row{"tensor 3 'y' is made by no operation", [](Problem& p) { p.operations.resize(2); }},
       Row{"operation 0 'conv' reads tensor 3 'y', which is made later, by operation 2 'relu'; an "
           "operation may read only what an earlier one makes",
           [](Problem& p) {
             p.operations[0].inputs = {tensor(0), tensor(3)};
           }},
       Row{"operation 0 'conv' works in place on tensor 4, which it does not read",
           [](Problem& p) { p.operations[0].in_place->input = tensor(4); }},
       Row{"operation 0 'conv' works in place for tensor 3, which it does not make",
           [](Problem& p) { p.operations[0].in_place->output = tensor(3); }},
       Row{"operation 2 'relu' cannot put tensor 3 'y' in the place of tensor 1 'a', which is "
           "smaller",
           [](Problem& p) { p.tensors[3].size_bytes = 5; }}});
}

TEST(CheckProblem, RefusesWhatIsNotAView) {
  expect_faults(
      {Row{"tensor 2 'v' must be a view of an earlier tensor, not of tensor 3",
           [](Problem& p) { p.tensors[2].view_of = tensor(3); }},
       Row{"tensor 3 'y' must be a view of a tensor that is not a view itself: of tensor 1, not of "
           "tensor 2 'v'",
           [](Problem& p) { p.tensors[3].view_of = tensor(2); }},
       Row{"tensor 2 'v' must have the home of tensor 0 'x', whose view it is",
           [](Problem& p) { p.tensors[2].view_of = tensor(0); }},
       Row{"tensor 2 'v' cannot be a view and a new value",
           [](Problem& p) { p.tensors[2].updates = tensor(4); }},
       Row{"operation 1 'flatten' makes the view tensor 2 'v' but is not marked as a view",
           [](Problem& p) { p.operations[1].view = false; }},
       Row{"operation 2 'relu' is a view and must have one input and one output",
           [](Problem& p) { p.operations[2].view = true; }},
       Row{"operation 1 'flatten' is a view, so tensor 2 'v' must be a view of tensor 1 'a'",
           [](Problem& p) {
             p.tensors[2].view_of = std::nullopt;
             p.operations[2].in_place = std::nullopt;
           }},
       Row{"operation 1 'flatten' is a view and must have no workspace, energy or time",
           [](Problem& p) { p.operations[1].compute_j = 1; }},
       Row{"operation 1 'flatten' is a view and cannot be marked as once",
           [](Problem& p) { p.operations[1].once = true; }},
       Row{"operation 1 'flatten' is a view and cannot be marked as in place", [](Problem& p) {
             p.operations[1].in_place = InPlace{tensor(1), tensor(2)};
           }}});
}

TEST(CheckProblem, RefusesWhatIsNotAnUpdate) {
  expect_faults(
      {Row{"tensor 5 'w'' updates tensor 9, but there are only tensors 0 to 6",
           [](Problem& p) { p.tensors[5].updates = tensor(9); }},
       Row{"tensor 5 'w'' can only update a tensor that lies in storage or is resident when the "
           "step begins, not tensor 3 'y'",
           [](Problem& p) { p.tensors[5].updates = tensor(3); }},
       Row{"tensor 5 'w'' must have the size of tensor 4 'w', whose place it takes",
           [](Problem& p) { p.tensors[5].size_bytes = 3; }},
       Row{"tensor 5 'w'' must have the home 'made', because it updates tensor 4 'w'",
           [](Problem& p) { p.tensors[5].home = Home::Storage; }},
       Row{"tensor 5 'w'' must have the home 'resident', because it updates tensor 4 'w'",
           [](Problem& p) { p.tensors[4].home = Home::Resident; }},
       Row{"tensor 7 updates tensor 4 'w', which tensor 5 'w'' updates already",
           [](Problem& p) { p.tensors.push_back({.size_bytes = 2, .updates = tensor(4)}); }},
       Row{"tensor 1 'a' may only be made resident if its home is storage and it is not a view",
           [](Problem& p) { p.tensors[1].may_be_resident = true; }},
       Row{"operation 3 'sgd' must be marked as once, because it updates tensor 4 'w'",
           [](Problem& p) { p.operations[3].once = false; }},
       Row{"operation 0 'conv' must be marked as once, because it writes to storage by itself",
           [](Problem& p) { p.operations[0].written_bytes = 1; }},
       Row{"operation 0 'conv' must write from 0 to 2^62 bytes to storage by itself",
           [](Problem& p) { p.operations[0].written_bytes = -1; }},
       Row{"operation 4 reads the old value tensor 4 'w' after its update by operation 3 'sgd'",
           [](Problem& p) {
             p.tensors.push_back({});
             p.operations.push_back({.inputs = {tensor(4)}, .outputs = {tensor(7)}});
           }}});
}

TEST(CheckProblem, RefusesMemoriesThatCannotBe) {
  const auto refused = [](const std::function<void(Problem&, FurtherMemory&)>& change) {
    Problem problem = well_formed();
    problem.further_memories = {{.size_bytes = 1}, {.size_bytes = 1}};
    change(problem, problem.further_memories[1]);
    const Failure failure = check_problem(problem);
    return failure ? failure->message : "no error";
  };
  EXPECT_EQ(refused([](Problem&, FurtherMemory&) {}), "no error");
  EXPECT_EQ(refused([](Problem&, FurtherMemory& m) { m.size_bytes = -1; }),
            "the problem needs a size of memory 2 from 0 to 2^62 bytes");
  EXPECT_EQ(refused([](Problem&, FurtherMemory& m) { m.size_bytes = std::int64_t{1} << 62; }),
            "the problem has memories that add up to more than 2^62 bytes");
  EXPECT_EQ(refused([](Problem&, FurtherMemory& m) { m.write_s_per_byte = -1; }),
            "the problem needs a time of writing in memory 2 of at least 0 s/B");
  EXPECT_EQ(refused([](Problem&, FurtherMemory& m) { m.read_j_per_byte = 1e300; }),
            "the problem has a memory 2 that has an energy of reading of 1e+300 J/B; what is not 0 "
            "must be from 1e-60 to 1e+60 J/B");
  EXPECT_EQ(refused([](Problem& p, FurtherMemory&) { p.uncertainty = Uncertainty{.ratio = 0.5}; }),
            "the problem has costs that may be above their figures and several memories, which "
            "cannot be planned together");
}

TEST(CheckProblem, AcceptsAWellFormedProblem) {
  EXPECT_EQ(check_problem(well_formed()), Failure{});
}

TEST(CheckProblem, AcceptsAResidentTensorAndItsNewValue) {
  Problem problem = well_formed();
  problem.tensors[4].home = Home::Resident;
  problem.tensors[4].may_be_resident = false;
  problem.tensors[5].home = Home::Resident;
  EXPECT_EQ(check_problem(problem), Failure{});
}

TEST(CheckProblem, AcceptsAViewOfAHomeInStorage) {
  Problem problem = well_formed();
  problem.tensors.push_back({.name = "x flat", .home = Home::Storage, .view_of = tensor(0)});
  problem.operations.push_back({.inputs = {tensor(0)}, .outputs = {tensor(7)}, .view = true});
  EXPECT_EQ(check_problem(problem), Failure{});
}

}  // namespace
}  // namespace poet
