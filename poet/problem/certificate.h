#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "poet/base/ids.h"
#include "poet/base/time_mode.h"
#include "poet/problem/problem.h"
#include "poet/problem/window_names.h"

namespace poet {

// The problem that a certificate is about, as far as one looks to tell problems apart. A bound is
// recomputed from the whole problem, so this only serves a clear answer when the two do not match.
struct CertifiedInstance {
  std::string name = {};
  std::int64_t operations = 0;
  std::int64_t tensors = 0;
  std::int64_t ram_budget_bytes = 0;
  std::optional<double> deadline_s = {};
  std::optional<std::int64_t> storage_capacity_bytes = {};
  std::optional<std::int64_t> write_budget_bytes = {};
  double idle_w = 0;
  TimeMode time_mode = TimeMode::Blocking;
  Objective objective = Objective::Energy;
  bool paging_allowed = true;
  bool rematerialisation_allowed = true;

  bool operator==(const CertifiedInstance&) const = default;
};

CertifiedInstance certified_instance(const Problem& problem);

// The mode that the proof counts transfers in: no schedule costs less Overlapped than the best in
// Free, or than the best with the times of Certificate::compute_share.
constexpr TimeMode proof_time_mode(TimeMode mode) {
  return mode == TimeMode::Overlapped ? TimeMode::Free : mode;
}

struct TensorMultiplier {
  TensorId tensor{};  // a root
  double value = 0;

  bool operator==(const TensorMultiplier&) const = default;
};

// The multipliers of the rows of one event "operation `operation` runs in stage `stage`", in cost
// per byte or per one. All but `outputs` are >= 0. Events that are not listed have 0 everywhere.
struct EventMultipliers {
  std::int32_t stage = 0;
  std::int32_t operation = 0;
  double memory = 0;                        // lambda, of the RAM in use
  std::vector<TensorMultiplier> uses = {};  // sigma: an input is in RAM
  // tau: what each output's walk bears of the charge for running the event, of any sign; for
  // re-executions of operations with several outputs. None: each bears an even share.
  std::optional<std::vector<TensorMultiplier>> outputs = {};
  double shared_runs = 0;   // alpha: buffers are shared in place only if the event happens
  double shared_dies = 0;   // beta: and the input does not stay in RAM afterwards
  double shared_moves = 0;  // gamma: and the input is not resident
  double shared_takes = 0;  // and neither is the output

  bool operator==(const EventMultipliers&) const = default;
};

enum class NeedKind { Stored, Read };

inline constexpr Named<NeedKind> kNeedKinds[] = {{"stored", NeedKind::Stored},
                                                 {"read", NeedKind::Read}};

// A cover inequality from later needs (docs/formats/certificate.md): what it is made of, its terms
// follow.
struct NeedCut {
  NeedKind kind = NeedKind::Stored;
  std::int32_t stage = 0;
  std::vector<TensorId> absent = {};  // taken as absent
  std::int64_t divisor_bytes = 1;
  double multiplier = 0;  // mu, of the inequality with right-hand side 1

  bool operator==(const NeedCut&) const = default;
};

// Proves a bound by one walk per tensor through the events (docs/model/certificates.md §2.1).
struct WalkProof {
  std::vector<EventMultipliers> events = {};  // ascending
  double deadline = 0;
  double storage = 0;
  double writes = 0;
  std::vector<NeedCut> cuts = {};

  bool operator==(const WalkProof&) const = default;
};

// A multiplier or weight of a row or cut, by its position in the list of the proof.
struct Weight {
  std::int32_t place = 0;
  double value = 0;

  bool operator==(const Weight&) const = default;
};

// A mixed-integer rounding of a sum of rows and earlier cuts: columns in `complemented` (places in
// WindowProof::columns) are counted from their upper end, then all is divided by `divisor`.
struct RoundingCut {
  std::vector<Weight> rows = {};
  std::vector<Weight> cuts = {};
  std::vector<std::int32_t> complemented = {};
  double divisor = 1;

  bool operator==(const RoundingCut&) const = default;
};

// In the node `zero` the column is 0, in the node `one` it is 1.
struct ProofBranch {
  std::int32_t column = 0;  // place in WindowProof::columns
  std::int32_t zero = 0;
  std::int32_t one = 0;

  bool operator==(const ProofBranch&) const = default;
};

// Multipliers, >= 0, of rows stated as <=: they bound the node.
struct ProofLeaf {
  std::vector<Weight> rows = {};
  std::vector<Weight> cuts = {};

  bool operator==(const ProofLeaf&) const = default;
};

using ProofNode = std::variant<ProofLeaf, ProofBranch>;

// Proves a bound by a window model: RAM is counted at its keys only. A tree of cases; the first
// node is its root, others come after the one they belong to. The smallest bound of a leaf counts.
struct WindowProof {
  std::vector<std::int32_t> keys = {};  // stages, ascending
  std::vector<WindowRowName> rows = {};
  std::vector<WindowColumnName> columns = {};
  std::vector<RoundingCut> cuts = {};
  std::vector<ProofNode> nodes = {};

  bool operator==(const WindowProof&) const = default;
};

using ProofPart = std::variant<WalkProof, WindowProof>;

// What a certificate says of its problem.
enum class Claim {
  Bound,       // no schedule of the class has an objective below `claimed_bound`
  Infeasible,  // the class has no schedule
  LeastRam,    // it has none in less than `claimed_bytes` of RAM
};

inline constexpr Named<Claim> kClaims[] = {
    {"bound", Claim::Bound}, {"infeasible", Claim::Infeasible}, {"least-ram", Claim::LeastRam}};

// A proof of a claim about every schedule of the class: the best of its parts, each of which is a
// proof of its own. With the other claims than Bound its parts bound the objective of
// claimed_instance(), where nothing costs anything: a bound above 0 is a contradiction.
struct Certificate {
  CertifiedInstance instance = {};
  // Of an Overlapped problem: the part s, 0 to 1, of the time of computation that the proof counts,
  // beside 1 - s of that of transfers. No step lasts less than both, nor than a mean of the two. 1
  // in the other modes; the mode alone says there what counts.
  double compute_share = 1;
  Claim claim = Claim::Bound;
  double claimed_bound = 0;             // of Bound: the solver's, in J or s
  std::int64_t claimed_bytes = 0;       // of LeastRam
  std::string claimed_by = {};          // "event, cbc 2.10.8"
  std::optional<Problem> problem = {};  // the whole of it, where no plan has it
  std::vector<ProofPart> parts = {};

  bool operator==(const Certificate&) const = default;
};

// The problem at no cost whose objective would be 0 if the class had a schedule, in less than
// `claimed_bytes` with LeastRam (docs/model/certificates.md §7.1). Times stay, for the deadline.
Problem claimed_instance(Problem problem, Claim claim, std::int64_t claimed_bytes);

}  // namespace poet
