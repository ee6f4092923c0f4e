// Certificates against the oracle: whatever multipliers and cuts a file holds, what the verifier
// takes from it is never above the optimum, on random instances with every feature that a problem
// can have; and what the solver writes is accepted, says what the solver said, and covers it. Trees
// over window models: certificate_windows_oracle_test.cc.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "poet/overlap/planner.h"
#include "poet/solve/event_model.h"
#include "poet/solve/later_need.h"
#include "poet/solve/lift.h"
#include "poet/solve/solver.h"
#include "poet/solve/tensor_walk.h"
#include "poet/solve/write_certificate.h"
#include "poet/verify/certificate_check.h"
#include "poet/verify/walk_proof.h"
#include "support/certified_instance.h"
#include "support/cheapest.h"
#include "support/random_cases.h"
#include "support/solved_instances.h"

namespace poet::testing {
namespace {

class EveryCertificate : public ::testing::TestWithParam<InstanceBlock> {};

// --- walks ---------------------------------------------------------------------------------------

// In the words of the file, with no help from the solver.
WalkProof random_walk(const ProofStep& step, std::mt19937_64& random) {
  const double density = unit_draw(random);
  const double scale = 4 * unit_draw(random) * unit_draw(random);
  const auto draw = [&] { return unit_draw(random) < density ? scale * unit_draw(random) : 0.0; };
  WalkProof proof;
  for (std::int32_t t = 0; t < step.stages(); ++t)
    for (std::int32_t k = 0; k <= t; ++k) {
      const ProofOperation& operation = step.operations[k];
      if (operation.last_stage < t || unit_draw(random) < 0.3) continue;
      EventMultipliers event{.stage = t, .operation = k, .memory = draw()};
      for (const std::int32_t input : operation.inputs)
        if (const double sigma = draw(); sigma > 0) event.uses.push_back({TensorId{input}, sigma});
      if (random() % 2 == 0) {
        event.outputs.emplace();
        for (const std::int32_t output : operation.outputs)
          if (operation.outputs.size() > 1 && random() % 2 == 0)
            event.outputs->push_back({TensorId{output}, draw() * (random() % 2 == 0 ? 1 : -1)});
      }
      if (operation.sharing) {
        for (double* const value :
             {&event.shared_runs, &event.shared_dies, &event.shared_moves, &event.shared_takes})
          *value = draw();
      }
      proof.events.push_back(event);
    }
  if (step.deadline_s) proof.deadline = draw();
  if (step.storage_room_bytes) proof.storage = draw();
  if (step.write_room_bytes) proof.writes = draw();
  return proof;
}

// Some of what exists before the stage, is not read by it and is read later; most such cuts are
// refused, since they say nothing.
void add_random_cuts(const CertifiedInstance& instance, WalkProof& proof, std::mt19937_64& random) {
  const ProofStep& step = instance.proof_step;
  for (int n = 0; n < 30; ++n) {
    NeedCut cut{.kind = random() % 2 == 0 ? NeedKind::Stored : NeedKind::Read,
                .stage = static_cast<std::int32_t>(random() % step.operations.size()),
                .divisor_bytes = 1 + static_cast<std::int64_t>(random() % 12),
                .multiplier = 3 * unit_draw(random)};
    for (std::size_t i = 0; i < step.tensors.size(); ++i) {
      const ProofTensor& tensor = step.tensors[i];
      const bool exists = tensor.moves && (!tensor.maker || *tensor.maker < cut.stage);
      if (exists && !step.operations[cut.stage].reads(static_cast<std::int32_t>(i)) &&
          !tensor.readers.empty() && tensor.readers.back() > cut.stage && random() % 4 == 0)
        cut.absent.push_back(TensorId{static_cast<std::int32_t>(i)});
    }
    proof.cuts.push_back(cut);
    if (!bound_of(step, proof).ok()) proof.cuts.pop_back();
  }
}

TEST_P(EveryCertificate, NoRandomWalkProvesTooMuch) {
  std::size_t cuts = 0;
  for_each_certified(GetParam(),
                     [&cuts](const CertifiedInstance& instance, std::mt19937_64& random) {
                       for (int n = 0; n < 12; ++n) {
                         WalkProof proof = random_walk(instance.proof_step, random);
                         if (n % 2 == 0) add_random_cuts(instance, proof, random);
                         cuts += proof.cuts.size();
                         EXPECT_TRUE(proved_by(instance, proof));
                       }
                     });
  EXPECT_GE(cuts, static_cast<std::size_t>(random_cases(200)));
}

struct Relaxed {
  EventModel model;
  RelaxationAnswer answer;
};

Relaxed relax(const Step& step, const EventSet& events, const std::vector<LaterNeed>& cuts) {
  Relaxed relaxed{make_event_model(step, events, cuts, {}), {}};
  relaxed.answer = any_backend().relax(relaxed.model.linear)->solve({});
  return relaxed;
}

void shake(WalkProof& proof, std::mt19937_64& random) {
  const auto change = [&random](double& value) { value *= 2 * unit_draw(random); };
  for (EventMultipliers& event : proof.events) {
    for (double* const value : {&event.memory, &event.shared_runs, &event.shared_dies,
                                &event.shared_moves, &event.shared_takes})
      change(*value);
    for (TensorMultiplier& use : event.uses) change(use.value);
    if (event.outputs)
      for (TensorMultiplier& tie : *event.outputs) tie.value += unit_draw(random) - 0.5;
  }
  for (NeedCut& cut : proof.cuts) change(cut.multiplier);
  for (double* const value : {&proof.deadline, &proof.storage, &proof.writes}) change(*value);
}

// The solver's walk and the verifier's are two programs that must say the same.
void expect_the_same_bound(const CertifiedInstance& instance, const EventSet& events,
                           const std::vector<LaterNeed>& cuts, const Relaxed& relaxed,
                           std::mt19937_64& random) {
  Multipliers duals =
      multipliers_of(instance.step, events, relaxed.model, cuts, relaxed.answer.row_duals, 1);
  for (const bool lifted : {false, true}) {
    if (lifted)
      lift_missing_events(instance.step, events, cuts, duals, EventObjective::Cost, 1e-12);
    const double bound =
        walk_bound(instance.step, events, cuts, duals, EventObjective::Cost).bound +
        instance.step.once_cost;
    WalkProof proof = walk_proof_of(instance.step, {events, cuts, duals, 0});
    const std::optional<double> proved = proved_by(instance, proof);
    ASSERT_TRUE(proved);
    EXPECT_NEAR(*proved, bound, rounding_of(bound));
    shake(proof, random);
    EXPECT_TRUE(proved_by(instance, proof));
  }
}

TEST_P(EveryCertificate, TheSolversWalksProveWhatItSays) {
  for_each_certified(GetParam(), [](const CertifiedInstance& instance, std::mt19937_64& random) {
    const Step& step = instance.step;
    for (const EventSet& events :
         {EventSet(step.stages()), shallow_events(step, 1), every_event(step)}) {
      const Relaxed plain = relax(step, events, {});
      if (plain.answer.status != LinearStatus::Optimal) continue;  // too few events
      expect_the_same_bound(instance, events, {}, plain, random);
      std::vector<LaterNeed> cuts;
      const std::vector<StagePressure> pressures = stage_pressures(step);
      const ComingsOf comings(step, events, plain.model, plain.answer.values);
      for (std::int32_t t = 0; t < step.stages(); ++t)
        for (FoundCut& found :
             violated_cuts(step, t, pressures[t], comings.at_stage(t, pressures[t]), 1e-3))
          cuts.push_back(std::move(found.cut));
      const Relaxed tighter = relax(step, events, cuts);
      if (cuts.empty() || tighter.answer.status != LinearStatus::Optimal) continue;
      expect_the_same_bound(instance, events, cuts, tighter, random);
    }
  });
}

// --- whole certificates --------------------------------------------------------------------------

std::optional<SolveReport> solved_with_certificate(const Problem& problem, bool windows) {
  SolveOptions options;
  options.certificate = CertificateEffort::Whole;
  options.few_events = 10;
  options.techniques.windows = windows;
  const auto solver = planner_table().front().make();
  const Result<SolveReport> report = solver->solve(problem, options, {}, {});
  if (!report.ok() || !report->certificate) return std::nullopt;
  return *report;
}

TEST_P(EveryCertificate, TheSolversCertificatesHold) {
  int covered = 0;
  for_each_certified(GetParam(), [&](const CertifiedInstance& instance, std::mt19937_64& random) {
    const auto report = solved_with_certificate(instance.problem, random() % 4 != 0);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->certificate->claimed_bound, report->lower_bound);
    EXPECT_EQ(report->certificate->claimed_by, "event, " + report->backend);
    const CertificateCheck check = check_certificate(instance.problem, *report->certificate);
    ASSERT_TRUE(check.holds()) << *check.fault;
    EXPECT_LE(check.proved_bound, instance.cheapest + rounding_of(instance.cheapest));
    covered += covers_claim(check, *report->certificate) ? 1 : 0;
  });
  EXPECT_GE(covered, kCertifiedInstances * 7 / 10);
}

TEST_P(EveryCertificate, HoldsWhereTransfersOverlap) {
  for_each_certified(GetParam(), [&](const CertifiedInstance& instance, std::mt19937_64&) {
    Problem problem = instance.problem;
    if (problem.time_mode != TimeMode::Free) return;
    // What waits for every transfer is valid beside the processor too, and costs no less.
    problem.time_mode = TimeMode::Blocking;
    const std::optional<double> waiting = cheapest_objective(problem);
    problem.time_mode = TimeMode::Overlapped;
    const auto report = solved_with_certificate(problem, true);
    if (!report) {  // no schedule, no certificate
      EXPECT_FALSE(waiting);
      return;
    }
    const CertificateCheck check = check_certificate(problem, *report->certificate);
    ASSERT_TRUE(check.holds()) << *check.fault;
    if (waiting) {
      EXPECT_LE(check.proved_bound, *waiting + rounding_of(*waiting));
    }
  });
}

// --- tampering -----------------------------------------------------------------------------------

template <typename List>
auto& some(List& list, std::mt19937_64& random) {
  return list[random() % list.size()];
}

void tamper(WalkProof& proof, std::mt19937_64& random) {
  if (!proof.cuts.empty() && random() % 2 == 0) {
    NeedCut& cut = some(proof.cuts, random);
    if (random() % 2 == 0) cut.absent.clear();
    cut.divisor_bytes = 1 + static_cast<std::int64_t>(random() % 9);
    cut.stage += static_cast<std::int32_t>(random() % 3) - 1;
  } else if (!proof.events.empty()) {
    EventMultipliers& event = some(proof.events, random);
    switch (random() % 4) {
      case 0:
        event.memory *= 3;
        break;
      case 1:
        event.uses.clear();
        break;
      case 2:
        event.operation = event.stage;
        break;
      default:
        proof.events.erase(proof.events.begin());
    }
  }
}

void tamper(WindowProof& proof, std::mt19937_64& random) {
  const auto random_place = [&random] { return static_cast<std::int32_t>(random() % 8); };
  ProofNode& node = some(proof.nodes, random);
  if (auto* const branch = std::get_if<ProofBranch>(&node)) {
    (random() % 2 == 0 ? branch->zero : branch->column) = random_place();
  } else {
    ProofLeaf& leaf = std::get<ProofLeaf>(node);
    if (!leaf.rows.empty() && random() % 2 == 0) some(leaf.rows, random).value *= 4;
    if (!leaf.rows.empty()) some(leaf.rows, random).place = random_place();
  }
  if (!proof.cuts.empty()) {
    RoundingCut& cut = some(proof.cuts, random);
    if (random() % 2 == 0) cut.divisor *= 1 + unit_draw(random);
    if (random() % 2 == 0 && !cut.complemented.empty()) cut.complemented.pop_back();
  }
  WindowRowName other;
  WindowRowName& name = proof.rows.empty() ? other : some(proof.rows, random);
  if (arity_of(name.kind) > 0 && random() % 2 == 0) name.ids[0] = random_place();
  if (random() % 3 == 0 && !proof.keys.empty()) some(proof.keys, random) = random_place();
}

TEST_P(EveryCertificate, TamperedOnesAreRefusedOrProveNoMoreThanIsSo) {
  int refused = 0;
  for_each_certified(GetParam(), [&](const CertifiedInstance& instance, std::mt19937_64& random) {
    const auto report = solved_with_certificate(instance.problem, random() % 2 == 0);
    ASSERT_TRUE(report);
    for (const ProofPart& part : report->certificate->parts)
      for (int n = 0; n < 6; ++n) {
        ProofPart changed = part;
        std::visit([&random](auto& proof) { tamper(proof, random); }, changed);
        refused += proved_by(instance, changed) ? 0 : 1;
      }
  });
  EXPECT_GE(refused, 20);
}

INSTANTIATE_TEST_SUITE_P(Random, EveryCertificate,
                         ::testing::ValuesIn(every_block(9'000'000, 100'000)));

}  // namespace
}  // namespace poet::testing
