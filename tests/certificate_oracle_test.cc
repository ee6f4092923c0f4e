// Certificates against the oracle: whatever multipliers, trees and cuts a file holds, what the
// verifier takes from it is never above the optimum, on random instances with every feature that a
// problem can have; and what the solver writes is accepted, says what the solver said, and covers
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "poet/problem/certificate.h"
#include "poet/problem/certificate_json.h"
#include "poet/problem/problem_json.h"
#include "poet/solve/certify_windows.h"
#include "poet/solve/event_model.h"
#include "poet/solve/lift.h"
#include "poet/solve/solver.h"
#include "poet/solve/tensor_walk.h"
#include "poet/solve/window_inequalities.h"
#include "poet/solve/write_certificate.h"
#include "poet/verify/certificate_check.h"
#include "poet/verify/proof_step.h"
#include "poet/verify/walk_proof.h"
#include "poet/verify/window_proof.h"
#include "poet/verify/window_rows.h"
#include "support/cheapest.h"
#include "support/random_problem.h"

namespace poet::testing {
namespace {

constexpr double kRounding = 1e-9;  // relative; instances' figures are multiples of 1/8
constexpr double kBackend = 1e-6;   // relative: a backend's tolerances
constexpr int kInstancesOfBlock = 250;

double tolerance(double value, double ratio = kRounding) {
  return ratio * std::max(1.0, std::abs(value));
}

// --- instances -----------------------------------------------------------------------------------

struct Block {
  bool paging = true;
  bool rematerialisation = true;
  TimeMode mode = TimeMode::Free;
  std::uint64_t first_seed = 0;
};

void PrintTo(const Block& block, std::ostream* out) {
  *out << (block.paging ? "paging" : "no paging")
       << (block.rematerialisation ? ", rematerialisation" : ", no rematerialisation") << ", "
       << name_of(kTimeModes, block.mode);
}

std::vector<Block> every_block() {
  std::vector<Block> blocks;
  std::uint64_t seed = 9'000'000;
  for (const bool paging : {true, false})
    for (const bool rematerialisation : {true, false})
      for (const TimeMode mode : {TimeMode::Free, TimeMode::Blocking})
        blocks.push_back({paging, rematerialisation, mode, seed += 100'000});
  return blocks;
}

struct Instance {
  Problem problem;
  Step step;
  ProofStep proof_step;
  double cheapest = 0;  // the oracle's objective
};

// Calls `check` with instances that have a schedule until one of them fails.
void for_each_solved(const Block& block,
                     const std::function<void(const Instance&, std::mt19937_64&)>& check) {
  RandomProblemOptions options;
  options.paging = block.paging;
  options.rematerialisation = block.rematerialisation;
  options.time_mode = block.mode;
  int count = 0;
  for (std::uint64_t seed = block.first_seed; count < kInstancesOfBlock; ++seed) {
    const Problem problem = random_problem(options, seed);
    const std::optional<double> cheapest = cheapest_objective(problem);
    if (!cheapest) continue;
    ++count;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + problem_text(problem));
    std::mt19937_64 random(seed);
    check({problem, make_step(problem), make_proof_step(problem), *cheapest}, random);
    if (::testing::Test::HasFailure()) return;  // one instance is enough to read
  }
}

const LinearBackend& backend() {
  static const std::unique_ptr<LinearBackend> cbc = std::move(open_backend("cbc").value());
  return *cbc;
}

// 53 bits of the engine: the standard's distributions differ between libraries.
double unit_draw(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

Certificate certificate_of(const Problem& problem, ProofPart part) {
  Certificate certificate;
  certificate.instance = certified_instance(problem);
  certificate.parts.push_back(std::move(part));
  return certificate;
}

// Through the file, as a user's certificate comes. A refusal is no answer.
std::optional<double> proved_by(const Instance& instance, const ProofPart& part) {
  const std::string text = certificate_text(certificate_of(instance.problem, part));
  const Result<Certificate> read = parse_certificate(text, "c.json");
  EXPECT_TRUE(read.ok()) << to_string(read.error());
  if (!read.ok()) return std::nullopt;
  EXPECT_EQ(read->parts.front(), part);
  const CertificateCheck check = check_certificate(instance.problem, *read);
  if (!check.holds()) return std::nullopt;
  EXPECT_LE(check.proved_bound, instance.cheapest + tolerance(instance.cheapest)) << text;
  return check.parts.front();
}

class EveryCertificate : public ::testing::TestWithParam<Block> {};

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
void add_random_cuts(const Instance& instance, WalkProof& proof, std::mt19937_64& random) {
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
  for_each_solved(GetParam(), [&cuts](const Instance& instance, std::mt19937_64& random) {
    for (int n = 0; n < 12; ++n) {
      WalkProof proof = random_walk(instance.proof_step, random);
      if (n % 2 == 0) add_random_cuts(instance, proof, random);
      cuts += proof.cuts.size();
      EXPECT_TRUE(proved_by(instance, proof));
    }
  });
  EXPECT_GE(cuts, 200u);
}

struct Relaxed {
  EventModel model;
  RelaxationAnswer answer;
};

Relaxed relax(const Step& step, const EventSet& events, const std::vector<LaterNeed>& cuts) {
  Relaxed relaxed{make_event_model(step, events, cuts, {}), {}};
  relaxed.answer = backend().relax(relaxed.model.linear)->solve({});
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
void expect_the_same_bound(const Instance& instance, const EventSet& events,
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
    EXPECT_NEAR(*proved, bound, tolerance(bound, 1e-7));  // the deadline's tolerance is a little
    shake(proof, random);
    EXPECT_TRUE(proved_by(instance, proof));
  }
}

TEST_P(EveryCertificate, TheSolversWalksProveWhatItSays) {
  for_each_solved(GetParam(), [](const Instance& instance, std::mt19937_64& random) {
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

// --- windows -------------------------------------------------------------------------------------

WindowKeys some_keys(const Step& step, std::mt19937_64& random, bool every) {
  WindowKeys keys;
  for (std::int32_t t = 0; t < step.stages(); ++t)
    if (every || random() % 2 == 0) keys.stages.push_back(t);
  const auto has = [&keys](std::int32_t t) {
    return std::find(keys.stages.begin(), keys.stages.end(), t) != keys.stages.end();
  };
  for (std::int32_t t = 0; t < step.stages(); ++t)
    for (std::int32_t k = 0; k < t; ++k)
      if (has(t) && has(t - 1) && (every || random() % 2 == 0)) keys.crowded.push_back({t, k});
  return keys;
}

std::map<WindowColumnName, double> by_name(const Inequality& row, const WindowModel& model,
                                           double scale) {
  std::map<WindowColumnName, double> terms;
  for (const LinearTerm& term : row.terms)
    if (term.coefficient != 0) terms[model.column_names[term.column]] = term.coefficient / scale;
  return terms;
}

// The rows that the solver has and those that the verifier derives are the same.
TEST_P(EveryCertificate, BothKnowTheSameWindowModel) {
  for_each_solved(GetParam(), [](const Instance& instance, std::mt19937_64& random) {
    for (const bool every : {true, false}) {
      const WindowModel model =
          make_window_model(instance.step, some_keys(instance.step, random, every));
      WindowRows rows(instance.proof_step, model.keys.stages);
      const std::vector<Inequality> own = inequalities_of(model);
      EXPECT_NEAR(rows.constant_cost(), instance.step.once_cost + model.constant_cost, 1e-9);
      for (std::size_t n = 0; n < own.size(); ++n) {
        const Result<ProofInequality> derived = rows.row(model.row_names[n]);
        ASSERT_TRUE(derived.ok()) << derived.error().message;
        std::map<WindowColumnName, double> terms;
        for (const auto& [column, coefficient] : derived->terms)
          if (coefficient != 0) terms[rows.columns()[column].name] = coefficient;
        const auto expected = by_name(own[n], model, model.row_scales[n]);
        ASSERT_EQ(terms.size(), expected.size()) << name_text(model.row_names[n]);
        for (const auto& [name, coefficient] : expected)
          ASSERT_NEAR(terms[name], coefficient, 1e-9) << name_text(model.row_names[n]);
        ASSERT_NEAR(derived->most, own[n].most / model.row_scales[n], 1e-6);
      }
      std::size_t whole = 0;
      for (std::size_t j = 0; j < model.column_names.size(); ++j) {
        const auto column = rows.column(model.column_names[j]);
        ASSERT_TRUE(column) << name_text(model.column_names[j]);
        ASSERT_NEAR(rows.columns()[*column].cost, model.linear.columns[j].cost, 1e-12);
        whole += model.linear.columns[j].kind == ColumnKind::Integer ? 1 : 0;
      }
      ASSERT_EQ(whole, std::count_if(rows.columns().begin(), rows.columns().end(),
                                     [](const ProofColumn& column) { return column.whole; }));
    }
  });
}

WindowProof names_of_model(const WindowModel& model) {
  WindowProof proof;
  proof.keys = model.keys.stages;
  proof.rows = model.row_names;
  for (std::size_t j = 0; j < model.column_names.size(); ++j)
    if (model.linear.columns[j].kind == ColumnKind::Integer)
      proof.columns.push_back(model.column_names[j]);
  return proof;
}

std::vector<Weight> random_weights(std::size_t count, double density, double scale,
                                   std::mt19937_64& random) {
  std::vector<Weight> weights;
  for (std::size_t n = 0; n < count; ++n)
    if (unit_draw(random) < density)
      weights.push_back({static_cast<std::int32_t>(n), scale * unit_draw(random)});
  return weights;
}

// A tree of some depth below the place of the next node.
void add_random_tree(WindowProof& proof, std::vector<std::int32_t> free_columns, int depth,
                     const std::function<ProofLeaf()>& leaf, std::mt19937_64& random) {
  const std::size_t here = proof.nodes.size();
  proof.nodes.emplace_back(ProofLeaf{});
  if (depth == 0 || free_columns.empty() || random() % 5 == 0) {
    proof.nodes[here] = leaf();
    return;
  }
  const std::size_t pick = random() % free_columns.size();
  ProofBranch branch{free_columns[pick], static_cast<std::int32_t>(here) + 1, 0};
  free_columns.erase(free_columns.begin() + static_cast<std::ptrdiff_t>(pick));
  add_random_tree(proof, free_columns, depth - 1, leaf, random);
  branch.one = static_cast<std::int32_t>(proof.nodes.size());
  add_random_tree(proof, free_columns, depth - 1, leaf, random);
  proof.nodes[here] = branch;
}

TEST_P(EveryCertificate, NoRandomTreeProvesTooMuch) {
  for_each_solved(GetParam(), [](const Instance& instance, std::mt19937_64& random) {
    const WindowModel model =
        make_window_model(instance.step, some_keys(instance.step, random, random() % 2 == 0));
    const WindowProof names = names_of_model(model);
    std::vector<std::int32_t> columns;
    for (std::size_t j = 0; j < names.columns.size(); ++j)
      columns.push_back(static_cast<std::int32_t>(j));
    for (int n = 0; n < 8; ++n) {
      WindowProof proof = names;
      for (std::size_t c = 0; c < random() % 4; ++c) {
        RoundingCut cut{random_weights(proof.rows.size(), 0.3, 1, random),
                        random_weights(proof.cuts.size(), 0.5, 1, random),
                        {},
                        0.25 + 3 * unit_draw(random)};
        for (const std::int32_t column : columns)
          if (random() % 2 == 0) cut.complemented.push_back(column);
        proof.cuts.push_back(cut);
      }
      const double density = unit_draw(random), scale = 2 * unit_draw(random);
      const auto leaf = [&] {
        return ProofLeaf{random_weights(proof.rows.size(), density, scale, random),
                         random_weights(proof.cuts.size(), density, scale, random)};
      };
      add_random_tree(proof, columns, 4, leaf, random);
      proved_by(instance, proof);
    }
  });
}

TEST_P(EveryCertificate, TheSolversTreesProveWhatItSays) {
  std::size_t trees = 0, cuts = 0;
  for_each_solved(GetParam(), [&](const Instance& instance, std::mt19937_64& random) {
    for (const bool every : {true, false}) {
      const WindowKeys keys = some_keys(instance.step, random, every);
      const WindowModel model = make_window_model(instance.step, keys);
      const RelaxationAnswer relaxed = backend().relax(model.linear)->solve({});
      ASSERT_EQ(relaxed.status, LinearStatus::Optimal);
      // More than can be shown, so that the tree goes on to its end.
      const double target = instance.cheapest - instance.step.once_cost + 100;
      const CertifyLimits limits{.most_cut_rounds = every ? 80 : 0};
      const CertifiedWindows made =
          certify_windows(instance.step, keys, 1, target, backend(), limits, {});
      const std::optional<double> proved = proved_by(instance, made.proof);
      ASSERT_TRUE(proved);
      EXPECT_NEAR(*proved, instance.step.once_cost + made.bound, tolerance(*proved, kBackend));
      EXPECT_GE(made.bound, relaxed.objective + model.constant_cost - tolerance(*proved, kBackend));
      const IntegerAnswer whole = backend().solve(model.linear, {}, {}, {}, {});
      EXPECT_NEAR(made.bound, whole.objective + model.constant_cost, tolerance(*proved, 1e-5));
      trees += made.proof.nodes.size() > 1 ? 1 : 0;
      cuts += made.proof.cuts.size();
    }
  });
  if (GetParam().paging) {
    EXPECT_GE(trees, 10u);
    EXPECT_GE(cuts, 20u);
  }
}

// --- whole certificates --------------------------------------------------------------------------

std::optional<SolveReport> solved_with_certificate(const Problem& problem, bool windows) {
  SolveOptions options;
  options.certificate = true;
  options.few_events = 10;
  options.techniques.windows = windows;
  const auto solver = solver_table().front().make();
  const Result<SolveReport> report = solver->solve(problem, options, {}, {});
  if (!report.ok() || !report->certificate) return std::nullopt;
  return *report;
}

TEST_P(EveryCertificate, TheSolversCertificatesHold) {
  int covered = 0;
  for_each_solved(GetParam(), [&](const Instance& instance, std::mt19937_64& random) {
    const auto report = solved_with_certificate(instance.problem, random() % 4 != 0);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->certificate->claimed_bound, report->lower_bound);
    EXPECT_EQ(report->certificate->claimed_by, "event, " + report->backend);
    const CertificateCheck check = check_certificate(instance.problem, *report->certificate);
    ASSERT_TRUE(check.holds()) << *check.fault;
    EXPECT_LE(check.proved_bound, instance.cheapest + tolerance(instance.cheapest));
    covered += covers_claim(check, *report->certificate) ? 1 : 0;
  });
  EXPECT_GE(covered, kInstancesOfBlock * 7 / 10);
}

TEST_P(EveryCertificate, HoldsWhereTransfersOverlap) {
  for_each_solved(GetParam(), [&](const Instance& instance, std::mt19937_64&) {
    Problem problem = instance.problem;
    if (problem.time_mode != TimeMode::Free) return;
    problem.time_mode = TimeMode::Overlapped;
    const auto report = solved_with_certificate(problem, true);
    ASSERT_TRUE(report);
    const CertificateCheck check = check_certificate(problem, *report->certificate);
    ASSERT_TRUE(check.holds()) << *check.fault;
    EXPECT_LE(check.proved_bound, instance.cheapest + tolerance(instance.cheapest));
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
  for_each_solved(GetParam(), [&](const Instance& instance, std::mt19937_64& random) {
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

INSTANTIATE_TEST_SUITE_P(Random, EveryCertificate, ::testing::ValuesIn(every_block()));

}  // namespace
}  // namespace poet::testing
