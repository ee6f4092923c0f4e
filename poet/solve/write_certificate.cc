// Writes down what a search has proved (docs/model/certificates.md §2.1 and §5.1).
#include "poet/solve/write_certificate.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace poet {
namespace {

// Multipliers by event, so that what is in the event set and what is not come in one order.
class WalkWriter {
 public:
  WalkWriter(const Step& step, const WalkSource& source)
      : step_(step), events_(source.events), source_(source.multipliers), cuts_(source.cuts) {}

  WalkProof write() {
    for (std::size_t e = 0; e < events_.events().size(); ++e) add_known(e);
    if (!source_.other_uses.empty()) add_others();
    WalkProof proof;
    for (auto& [event, multipliers] : written_) proof.events.push_back(std::move(multipliers));
    if (step_.deadline_s) proof.deadline = source_.deadline;
    if (step_.storage_room_bytes) proof.storage = source_.storage_room;
    if (step_.write_room_bytes) proof.writes = source_.write_room;
    pressures_ = stage_pressures(step_);
    for (std::size_t n = 0; n < cuts_.size(); ++n)
      if (source_.cuts[n] > 0) proof.cuts.push_back(cut_of(cuts_[n], source_.cuts[n]));
    return proof;
  }

 private:
  TensorId tensor(std::int32_t chain) const { return step_.chains[chain].tensor; }

  void add_known(std::size_t e) {
    const Event event = events_.events()[e];
    const StepOperation& operation = step_.operations[event.operation];
    EventMultipliers out{.stage = event.stage, .operation = event.operation};
    out.memory = source_.memory[e];
    for (std::size_t n = 0; n < operation.inputs.size(); ++n)
      if (source_.uses[e][n] > 0)
        out.uses.push_back({tensor(operation.inputs[n]), source_.uses[e][n]});
    if (operation.in_place) {
      out.shared_runs = source_.shared_runs[e];
      out.shared_dies = source_.shared_dies[e];
      out.shared_moves = source_.shared_moves[e];
      out.shared_takes = source_.shared_takes[e];
    }
    const bool has_ties = !event.certain() && operation.outputs.size() > 1;
    if (has_ties) {
      out.outputs.emplace();
      for (std::size_t n = 0; n < operation.outputs.size(); ++n)
        if (source_.ties[e][n] != 0)
          out.outputs->push_back({tensor(operation.outputs[n]), source_.ties[e][n]});
    }
    EventMultipliers nothing{.stage = event.stage, .operation = event.operation};
    if (out != nothing) written_[event] = std::move(out);
  }

  void add_others() {
    for (std::int32_t k = 0; k < step_.stages(); ++k) {
      const StepOperation& operation = step_.operations[k];
      for (std::int32_t t = k + 1; t <= operation.last_stage; ++t) {
        const Event event{t, k};
        if (source_.other_uses.sum(event) <= 0 || events_.find(event)) continue;
        EventMultipliers out{.stage = t, .operation = k};
        for (std::size_t n = 0; n < operation.inputs.size(); ++n) {
          const double sigma = source_.other_uses.at(event, static_cast<std::int32_t>(n));
          if (sigma > 0) out.uses.push_back({tensor(operation.inputs[n]), sigma});
        }
        written_[event] = std::move(out);
      }
    }
  }

  // What waits at the stage and has no term was taken as absent.
  NeedCut cut_of(const LaterNeed& cut, double multiplier) const {
    const bool stored = cut.family == LaterNeed::Family::Stored;
    NeedCut out{.kind = stored ? NeedKind::Stored : NeedKind::Read, .stage = cut.stage};
    for (const WaitingChain& waiting : pressures_[cut.stage].waiting) {
      const Chain& chain = step_.chains[waiting.chain];
      const bool has_copy = !chain.producer || chain.must_be_written;
      const bool has_term = std::any_of(
          cut.terms.begin(), cut.terms.end(),
          [&waiting](const LaterNeed::Term& term) { return term.chain == waiting.chain; });
      if (!has_term && !(stored && has_copy)) out.absent.push_back(chain.tensor);
    }
    out.divisor_bytes = cut.divisor_bytes;
    out.multiplier = multiplier;
    return out;
  }

  const Step& step_;
  const EventSet& events_;
  const Multipliers& source_;
  const std::vector<LaterNeed>& cuts_;
  std::vector<StagePressure> pressures_;
  std::map<Event, EventMultipliers> written_;
};

}  // namespace

WalkProof walk_proof_of(const Step& step, const WalkSource& source) {
  return WalkWriter(step, source).write();
}

Certificate write_certificate(const Problem& problem, const Step& step, const ProofSources& sources,
                              double claimed_bound, const LinearBackend& backend,
                              const CertifyLimits& limits, const Stop& stop) {
  Certificate certificate;
  certificate.instance = certified_instance(problem);
  certificate.claimed_bound = claimed_bound;
  if (sources.walk) certificate.parts.emplace_back(walk_proof_of(step, *sources.walk));
  if (!sources.windows) return certificate;
  // What comes out a little smaller for rounding still covers the claim.
  constexpr double kShortfall = 3e-10;
  const double target = claimed_bound - kShortfall * std::abs(claimed_bound) - step.once_cost;
  CertifiedWindows windows = certify_windows(
      step, sources.windows->keys, sources.windows->cost_unit, target, backend, limits, stop);
  certificate.parts.emplace_back(std::move(windows.proof));
  return certificate;
}

}  // namespace poet
