#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/exact/certificate.h"
#include "poet/exact/number.h"
#include "poet/exact/replay.h"

namespace poet::exact {

// What a certificate proves, in exact arithmetic: no margin anywhere (docs/model/certificates.md
// §6).
struct ProofCheck {
  Claim claim = Claim::Bound;
  Objective objective = Objective::Energy;
  // Why nothing is proved, in one sentence: the certificate is about another problem, or broken.
  std::optional<std::string> fault = {};
  // Of Bound: no schedule of the class has an objective below `proved`. Of the others: the best
  // part's excess, above 0 where it proves that there is no schedule.
  Number proved;
  std::vector<Number> parts = {};
  Number unavoidable;              // what every schedule has, without any part
  Number claimed;                  // of Bound: what the solver claims
  std::int64_t claimed_bytes = 0;  // of LeastRam
  // Of Infeasible and LeastRam: sums over the problem alone say it.
  std::optional<std::string> impossible = {};
  std::optional<Replay> plan = {};  // of the schedule that was given with the problem

  // Whether all that is claimed is proved, and a plan that was given is valid.
  bool holds() const;
  bool proves_claim() const;
  // Of Bound, with a valid plan: no more than this can be saved.
  std::optional<Number> gap() const;
};

// A text and what messages call its file.
struct NamedText {
  std::string_view text;
  std::string file;
};

// `subject`: a plan or a problem; none where the certificate carries its problem. Refuses, with the
// place, what is not of these forms.
Result<ProofCheck> check_proof(const std::optional<NamedText>& subject,
                               const NamedText& certificate);

// The same for a problem and a certificate that were read.
ProofCheck check_proof(const Problem& problem, const Certificate& certificate,
                       const std::optional<Schedule>& schedule);

// Whether a certificate proves in exact arithmetic what it claims and its plan is valid, and of a
// bound, whether the plan lies within `gap` above what is proved. `plan` is empty where the
// certificate carries its problem. Texts that are of neither form prove nothing. For who asks
// nothing else, and needs no exact numbers of his own.
bool holds_exactly(std::string_view plan, std::string_view certificate, double gap);

}  // namespace poet::exact
