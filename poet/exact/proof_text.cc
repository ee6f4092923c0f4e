// What an exact check found, in words and as JSON (docs/model/numbers.md §4.3).
#include "poet/exact/proof_text.h"

#include <fmt/format.h>

#include "poet/base/json_out.h"

namespace poet::exact {
namespace {

// What is called the optimum within rounding (docs/model/problem.md §2.5).
const Number kRounding(1, 1'000'000'000);

std::string amount(const ProofCheck& check, double value) {
  return fmt::format("{:.10g} {}", value, check.objective == Objective::Energy ? "J" : "s");
}

std::string gap_text(const ProofCheck& check, const Number& gap) {
  const Number& objective = check.plan->objective;
  if (gap < 0)
    return "the plan takes less than that, so it is not of the class of which the bound speaks";
  if (gap == 0) return "the plan is optimal, to the last bit";
  if (gap <= kRounding * objective)
    return fmt::format("the plan is optimal within {:.3g} of what it takes",
                       double_above(gap / objective));
  const Number overhead = objective - check.unavoidable;
  return fmt::format("the plan is optimal within {}, {:.4g} % of its overhead",
                     amount(check, double_above(gap)), double_above(100 * gap / overhead));
}

std::string claim_text(const ProofCheck& check) {
  if (check.claim == Claim::Bound)
    return fmt::format("no schedule of the class takes less than {}",
                       amount(check, double_below(check.proved)));
  if (check.claim == Claim::Infeasible) return "the class has no schedule";
  return fmt::format("the class has no schedule in less than {} bytes of RAM", check.claimed_bytes);
}

// What the solver says beyond it, where that is more than rounding.
std::string shortfall(const ProofCheck& check) {
  const Number more = check.claimed - check.proved;
  if (check.claim != Claim::Bound || more <= kRounding * abs(check.claimed)) return "";
  return fmt::format("the solver claims {} more than that, which is not proved\n",
                     amount(check, double_above(more)));
}

JsonOut exact_json(const Number& value, double rounded) {
  return {{"exact", text_of(value)}, {"rounded", rounded}};
}
JsonOut below_json(const Number& value) {
  return exact_json(value, double_below(value));
}
JsonOut above_json(const Number& value) {
  return exact_json(value, double_above(value));
}

JsonOut plan_json(const ProofCheck& check) {
  const Replay& plan = *check.plan;
  JsonOut out = {{"valid", !plan.fault}, {"fault", or_null(plan.fault)}};
  if (plan.fault) return out;
  out["objective"] = above_json(plan.objective);
  out["time_s"] = above_json(plan.time_s);
  out["peak_ram_bytes"] = plan.peak_ram_bytes;
  return out;
}

}  // namespace

std::string verdict(const ProofCheck& check) {
  if (check.fault) return "the certificate does not hold: " + *check.fault;
  if (const std::optional<Number> gap = check.gap()) return gap_text(check, *gap);
  const bool smallest = check.claim == Claim::LeastRam && check.proves_claim() && check.plan &&
                        !check.plan->fault && check.plan->peak_ram_bytes <= check.claimed_bytes;
  if (smallest) return "the plan needs the smallest RAM budget";
  return (check.proves_claim() ? "proved: " : "not proved: ") + claim_text(check);
}

std::string proof_text(const ProofCheck& check) {
  std::string text;
  if (check.plan)
    text += check.plan->fault ? "the plan is not valid: " + *check.plan->fault + "\n"
                              : fmt::format("the plan keeps every rule, and takes {}\n",
                                            amount(check, double_above(check.plan->objective)));
  if (!check.fault) {
    const bool shown = check.claim == Claim::Bound || check.proves_claim();
    text += (shown ? "proved: " : "not proved: ") + claim_text(check) +
            (check.impossible ? ", because " + *check.impossible : "") + "\n";
  }
  const bool says_more = check.fault || check.gap() || check.claim == Claim::LeastRam;
  return text + (says_more ? verdict(check) + "\n" : "") + (check.fault ? "" : shortfall(check));
}

JsonOut proof_to_json(const ProofCheck& check) {
  JsonOut out = {{"format", "poet-proof-check"}, {"version", 1}};
  out["claim"] = name_of(kClaims, check.claim);
  out["objective"] = name_of(kObjectives, check.objective);
  out["holds"] = check.holds();
  out["fault"] = or_null(check.fault);
  if (check.claim == Claim::LeastRam) out["claimed_bytes"] = check.claimed_bytes;
  if (check.plan) out["plan"] = plan_json(check);
  if (check.fault) return out;
  out["proves_claim"] = check.proves_claim();
  out["impossible"] = or_null(check.impossible);
  JsonOut& parts = out["parts"] = JsonOut::array();
  for (const Number& part : check.parts) parts.push_back(below_json(part));
  out["proved"] = below_json(check.proved);
  if (check.claim != Claim::Bound) return out;
  out["unavoidable"] = below_json(check.unavoidable);
  out["claimed"] = below_json(check.claimed);
  if (const std::optional<Number> gap = check.gap()) out["gap"] = above_json(*gap);
  return out;
}

}  // namespace poet::exact
