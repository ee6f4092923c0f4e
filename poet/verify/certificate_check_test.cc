#include "poet/verify/certificate_check.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace poet {
namespace {

TensorId tensor(std::int32_t id) {
  return TensorId{id};
}

// a and b of 6 bytes each; at c there is room for one of them. a made again costs 3, stored and
// read 2 + 1.
Problem crowded() {
  Problem problem;
  problem.name = "crowded";
  problem.tensors = {{.name = "a", .size_bytes = 6, .page_in_j = 1, .page_out_j = 2},
                     {.name = "b", .size_bytes = 6, .page_in_j = 9, .page_out_j = 9},
                     {.name = "c", .size_bytes = 1, .page_in_j = 9, .page_out_j = 9},
                     {.name = "d", .size_bytes = 1}};
  problem.operations = {
      {.name = "make_a", .outputs = {tensor(0)}, .compute_j = 3, .compute_s = 1},
      {.name = "make_b", .outputs = {tensor(1)}, .compute_j = 8, .compute_s = 1},
      {.name = "make_c", .inputs = {tensor(1)}, .outputs = {tensor(2)}, .compute_s = 1},
      {.name = "make_d", .inputs = {tensor(0), tensor(2)}, .outputs = {tensor(3)}, .compute_s = 1}};
  problem.ram_budget_bytes = 12;
  problem.time_mode = TimeMode::Free;
  return problem;
}

Certificate with(ProofPart part) {
  Certificate certificate;
  certificate.instance = certified_instance(crowded());
  certificate.claimed_bound = 14;
  certificate.parts = {std::move(part)};
  return certificate;
}

// At c, b and c need 7 of 12 bytes, so a is absent and comes back: 3 beyond the 11 of one execution
// of everything.
WindowProof by_windows() {
  return {.keys = {2},
          .rows = {{WindowRowKind::Need, {1, 0}},
                   {WindowRowKind::Copy, {1, 0}},
                   {WindowRowKind::Memory, {1}}},
          .columns = {{WindowColumnKind::Present, {1, 0}}, {WindowColumnKind::Stored, {0}}},
          .cuts = {{.rows = {{2, 1}}, .cuts = {}, .complemented = {}, .divisor = 6}},
          .nodes = {ProofLeaf{.rows = {{0, 3}, {1, 2}}, .cuts = {{0, 3}}}}};
}

// The same by cases: a present, which cannot be, and absent.
WindowProof by_cases() {
  WindowProof proof = by_windows();
  proof.cuts = {};
  proof.nodes = {ProofBranch{0, 1, 2}, ProofLeaf{.rows = {{0, 3}, {1, 2}}, .cuts = {}},
                 ProofLeaf{.rows = {{2, 100}}, .cuts = {}}};
  return proof;
}

// A walk counts only that a is stored, for 2, or made again, for 3.
WalkProof by_walk() {
  return {.cuts = {{.kind = NeedKind::Stored, .stage = 2, .divisor_bytes = 6, .multiplier = 2}}};
}

double proved(const ProofPart& part) {
  const CertificateCheck check = check_certificate(crowded(), with(part));
  EXPECT_TRUE(check.holds()) << *check.fault;
  return check.proved_bound;
}

std::string fault(const ProofPart& part) {
  return check_certificate(crowded(), with(part)).fault.value_or("no fault");
}

template <typename Proof>
std::string fault_of(Proof proof, const std::function<void(Proof&)>& change) {
  change(proof);
  return fault(proof);
}

TEST(Certificate, ProvesByWindows) {
  EXPECT_NEAR(proved(by_windows()), 14, 1e-9);
  EXPECT_LE(proved(by_windows()), 14);
}

TEST(Certificate, ProvesByCases) {
  EXPECT_NEAR(proved(by_cases()), 14, 1e-9);
}

TEST(Certificate, ProvesByAWalk) {
  EXPECT_NEAR(proved(by_walk()), 13, 1e-9);
}

TEST(Certificate, ProvesByTheBestOfItsParts) {
  Certificate certificate = with(by_walk());
  certificate.parts.push_back(by_windows());
  const CertificateCheck check = check_certificate(crowded(), certificate);
  EXPECT_NEAR(check.proved_bound, 14, 1e-9);
  ASSERT_EQ(check.parts.size(), 2);
  EXPECT_NEAR(check.parts[0], 13, 1e-9);
  EXPECT_TRUE(covers_claim(check, certificate));
  certificate.claimed_bound = 14.001;
  EXPECT_FALSE(covers_claim(check, certificate));
}

TEST(Certificate, ProvesWhatNoScheduleCanSaveWithoutParts) {
  Certificate certificate = with(by_walk());
  certificate.parts.clear();
  EXPECT_EQ(check_certificate(crowded(), certificate).proved_bound, 11);
}

TEST(Certificate, ProvesLessWithSmallerMultipliers) {
  WindowProof proof = by_windows();
  std::get<ProofLeaf>(proof.nodes[0]).rows[0].value = 2;
  EXPECT_NEAR(proved(proof), 13, 1e-9);
}

TEST(Certificate, IsAboutOneProblem) {
  const auto fault_with = [](const std::function<void(Problem&)>& change) {
    Problem problem = crowded();
    change(problem);
    return check_certificate(problem, with(by_walk())).fault.value_or("no fault");
  };
  EXPECT_EQ(fault_with([](Problem& p) { p.name = "roomy"; }),
            "it is about another problem: the problem 'crowded', not 'roomy'");
  EXPECT_EQ(fault_with([](Problem& p) { p.ram_budget_bytes = 13; }),
            "it is about another problem: a RAM budget of 12 bytes, not 13 bytes");
  EXPECT_EQ(fault_with([](Problem& p) { p.deadline_s = 8; }),
            "it is about another problem: the deadline none, not 8.0 s");
  EXPECT_EQ(fault_with([](Problem& p) { p.time_mode = TimeMode::Blocking; }),
            "it is about another problem: the time mode free, not blocking");
  EXPECT_EQ(fault_with([](Problem& p) { p.paging_allowed = false; }),
            "it is about another problem: paging allowed, not forbidden");
  EXPECT_EQ(fault_with([](Problem& p) { p.objective = Objective::Time; }),
            "it is about another problem: the objective energy, not time");
}

TEST(Certificate, NamesOnlyWhatTheProblemHas) {
  using P = WindowProof;
  const auto of = [](const std::function<void(P&)>& change) {
    return fault_of(by_cases(), change);
  };
  EXPECT_EQ(of([](P& p) {
              p.rows[0].ids = {1, 3};
            }),
            "part 0: row 0: the window model has no row [\"need\", 1, 3]");
  EXPECT_EQ(of([](P& p) { p.rows[2].ids = {0}; }),
            "part 0: row 2: the window model has no row [\"memory\", 0]");
  EXPECT_EQ(of([](P& p) {
              p.rows[2] = {WindowRowKind::Deadline, {}};
            }),
            "part 0: row 2: the window model has no row [\"deadline\"]");
  EXPECT_EQ(of([](P& p) {
              p.columns[0].ids = {7, 0};
            }),
            "part 0: column 0: the window model has no column [\"present\", 7, 0]");
  EXPECT_EQ(of([](P& p) { p.keys = {4}; }), "part 0: key 4 is not a stage of the problem");
  EXPECT_EQ(of([](P& p) { p.keys = {2, 2}; }), "part 0: key 2 must come before key 2");
}

TEST(Certificate, IsATree) {
  using P = WindowProof;
  const auto of = [](const std::function<void(P&)>& change) {
    return fault_of(by_cases(), change);
  };
  EXPECT_EQ(of([](P& p) { p.nodes.clear(); }), "part 0: there is no node");
  EXPECT_EQ(of([](P& p) { p.nodes.pop_back(); }),
            "part 0: node 0 needs two nodes behind it, not node 2");
  EXPECT_EQ(of([](P& p) {
              p.nodes[0] = ProofBranch{0, 0, 2};
            }),
            "part 0: node 0 needs two nodes behind it, not node 0");
  EXPECT_EQ(of([](P& p) {
              p.nodes[0] = ProofBranch{0, 1, 1};
            }),
            "part 0: node 1 belongs to two nodes");
  EXPECT_EQ(of([](P& p) { p.nodes.emplace_back(ProofLeaf{}); }),
            "part 0: node 3 belongs to no node");
  EXPECT_EQ(of([](P& p) {
              p.nodes[0] = ProofBranch{5, 1, 2};
            }),
            "part 0: node 0 branches on column 5, which is not in the list");
  EXPECT_EQ(of([](P& p) {
              p.nodes[1] = ProofBranch{0, 3, 4};
              p.nodes.resize(5, ProofLeaf{});
            }),
            "part 0: node 4 decides what was decided before it");
}

TEST(Certificate, HasMultipliersThatAreNotBelowZero) {
  using P = WindowProof;
  const auto of = [](const std::function<void(P&)>& change) {
    return fault_of(by_windows(), change);
  };
  const auto leaf = [](P& p) -> ProofLeaf& { return std::get<ProofLeaf>(p.nodes[0]); };
  EXPECT_EQ(of([&](P& p) { leaf(p).rows[1].value = -1; }),
            "part 0: node 0 has a multiplier that is not from 0 to 1e100 for row 1");
  EXPECT_EQ(of([&](P& p) { leaf(p).cuts[0].value = std::numeric_limits<double>::quiet_NaN(); }),
            "part 0: node 0 has a multiplier that is not from 0 to 1e100 for cut 0");
  EXPECT_EQ(of([&](P& p) { leaf(p).rows[1].value = 1e300; }),
            "part 0: node 0 has a multiplier that is not from 0 to 1e100 for row 1");
  EXPECT_EQ(of([&](P& p) { leaf(p).cuts[0].place = 1; }),
            "part 0: node 0 names cut 1, which is not there before it");
  EXPECT_EQ(of([](P& p) {
              p.cuts[0].cuts = {{0, 1}};
            }),
            "part 0: cut 0 names cut 0, which is not there before it");
  EXPECT_EQ(of([](P& p) { p.cuts[0].complemented = {2}; }),
            "part 0: cut 0 complements column 2, which is not in the list");
  EXPECT_EQ(of([](P& p) { p.cuts[0].divisor = 0; }),
            "part 0: cut 0 has a divisor that is not from 1e-100 to 1e100");
}

TEST(Certificate, WalksOnlyThroughEventsThatThereAre) {
  using P = WalkProof;
  const auto of = [](const std::function<void(P&)>& change) { return fault_of(by_walk(), change); };
  EXPECT_EQ(of([](P& p) { p.events = {{.stage = 1, .operation = 2}}; }),
            "part 0: the event of operation 2 in stage 1 does not exist, or can be of no use");
  EXPECT_EQ(of([](P& p) {
              p.events = {{.stage = 3, .operation = 3}, {.stage = 2, .operation = 2}};
            }),
            "part 0: the event of operation 2 in stage 2 must come before the event of operation 3 "
            "in stage 3");
  EXPECT_EQ(of([](P& p) {
              p.events = {{.stage = 2, .operation = 2, .uses = {{tensor(0), 1}}}};
            }),
            "part 0: the event of operation 2 in stage 2 has a multiplier for tensor 0, which is "
            "none that it reads");
  EXPECT_EQ(
      of([](P& p) { p.events = {{.stage = 2, .operation = 2, .memory = -1}}; }),
      "part 0: the event of operation 2 in stage 2 has a multiplier that is not from 0 to 1e100");
  EXPECT_EQ(of([](P& p) { p.events = {{.stage = 2, .operation = 2, .shared_runs = 1}}; }),
            "part 0: the event of operation 2 in stage 2 has a multiplier for sharing a buffer, "
            "which it cannot");
  EXPECT_EQ(of([](P& p) { p.deadline = 1; }),
            "part 0: it has a multiplier for a deadline, which the problem does not have");
}

TEST(Certificate, HasCutsThatSaySomething) {
  using P = WalkProof;
  const auto of = [](const std::function<void(P&)>& change) { return fault_of(by_walk(), change); };
  EXPECT_EQ(of([](P& p) { p.cuts[0].stage = 9; }),
            "part 0: cut 0 is about stage 9, which does not exist");
  EXPECT_EQ(of([](P& p) { p.cuts[0].absent = {tensor(1)}; }),
            "part 0: cut 0 takes tensor 1 as absent, which does not wait at stage 2");
  EXPECT_EQ(
      of([](P& p) { p.cuts[0].absent = {tensor(0)}; }),
      "part 0: cut 0 says nothing: -5 bytes must be absent, which its divisor of 6 bytes does "
      "not round");
}

// A plan where transfers overlap is bound as if they took no time.
TEST(Certificate, CountsOverlappedTransfersAsFree) {
  Problem problem = crowded();
  problem.objective = Objective::Time;
  problem.time_mode = TimeMode::Overlapped;
  for (Tensor& one : problem.tensors) one.page_in_s = one.page_out_s = 5;
  Certificate certificate = with(by_cases());
  certificate.instance = certified_instance(problem);
  const CertificateCheck check = check_certificate(problem, certificate);
  ASSERT_TRUE(check.holds()) << *check.fault;
  EXPECT_EQ(check.proved_bound, 4);
}

// A share of them counts half of computation, and half of what must be transferred.
TEST(Certificate, CountsTheShareOfComputationThatItNames) {
  Problem problem = crowded();
  problem.objective = Objective::Time;
  problem.time_mode = TimeMode::Overlapped;
  for (Tensor& one : problem.tensors) one.page_in_s = one.page_out_s = 5;
  Certificate certificate = with(by_cases());
  certificate.instance = certified_instance(problem);
  certificate.compute_share = 1.5;
  EXPECT_EQ(check_certificate(problem, certificate).fault,
            "its share of the time of computation is not between 0 and 1");
  certificate.compute_share = 0.5;
  const CertificateCheck half = check_certificate(problem, certificate);
  ASSERT_TRUE(half.holds()) << *half.fault;
  EXPECT_GE(half.parts[0], 2);  // half of what the operations take
}

}  // namespace
}  // namespace poet
