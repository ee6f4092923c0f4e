// What is proved exactly, in one word (docs/model/certificates.md §6).
#include "poet/exact/holds.h"

#include <optional>

#include "poet/exact/check.h"

namespace poet::exact {

bool holds_exactly(std::string_view plan, std::string_view certificate, double gap) {
  const std::optional<NamedText> subject =
      plan.empty() ? std::nullopt : std::optional(NamedText{plan, "the plan"});
  const Result<ProofCheck> check = check_proof(subject, {certificate, "the certificate"});
  if (!check.ok() || !check->holds()) return false;
  if (check->claim != Claim::Bound) return true;
  const std::optional<Number> open = check->gap();
  return open && *open <= number_of(gap);
}

}  // namespace poet::exact
