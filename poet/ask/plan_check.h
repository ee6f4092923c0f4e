#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/base/result.h"
#include "poet/base/time_mode.h"
#include "poet/plan/plan.h"
#include "poet/problem/certificate.h"
#include "poet/verify/certificate_check.h"
#include "poet/verify/replay.h"

namespace poet {

// What the verifier says about a plan, which may come from anywhere.
struct PlanCheck {
  Plan plan;
  Replay replay;
  // A proof of the plan's bound that was given with it, and what it shows.
  std::optional<Certificate> certificate = {};
  std::optional<CertificateCheck> certificate_check = {};
  // What is wrong with the plan besides the schedule's rules, one sentence each: buffers that are
  // not the schedule's, a claim that the figures contradict, a certificate that does not hold.
  std::vector<std::string> complaints;

  // Less than is claimed is something, where the claim is a bound.
  static bool shows_something(const Certificate& certificate, const CertificateCheck& check) {
    return check.holds() && (certificate.claim == Claim::Bound || check.impossible);
  }

  bool valid() const { return replay.valid() && complaints.empty(); }
  // Whether only the certificate is at fault.
  bool plan_is_valid() const {
    const bool foreign = certificate_check && !shows_something(*certificate, *certificate_check);
    return replay.valid() && complaints.size() == (foreign ? 1U : 0U);
  }
};

// Replays a plan in its own time mode, or in another.
PlanCheck check_plan(Plan plan, std::optional<TimeMode> io);

// Adds what a certificate says about the plan.
void check_certificate(PlanCheck& check, Certificate certificate);

// The same of what is in a plan's file; `file` is its name in a refusal.
Result<PlanCheck> verify_plan_text(std::string_view text, const std::string& file,
                                   std::optional<TimeMode> io);

// The same for the plan in a file, and a certificate in another; refuses what is neither.
Result<PlanCheck> verify_plan_file(const std::string& path, std::optional<TimeMode> io,
                                   const std::optional<std::string>& certificate_path = {});

}  // namespace poet
