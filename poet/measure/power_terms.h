#pragma once

#include <cstdint>
#include <string>

#include "poet/base/named.h"
#include "poet/measure/power_fit.h"

namespace poet {

// What an unknown of a fit stands for.
enum class TermKind { Operation, ByteRead, Read, ByteWritten, Write, Other };

inline constexpr Named<TermKind> kTermKinds[] = {
    {"operation", TermKind::Operation}, {"byte read", TermKind::ByteRead},
    {"read", TermKind::Read},           {"byte written", TermKind::ByteWritten},
    {"write", TermKind::Write},         {"other", TermKind::Other}};

// An unknown of the fit to a log, with what came out.
struct PowerTerm {
  TermKind kind = TermKind::Other;
  std::string name = {};    // the key of an operation, "input x"
  double uses = 0;          // in a step: executions, bytes or transfers
  std::int64_t firsts = 0;  // executions that are not repeated ones
  double expected_s = 0;    // of one use; 0: not known
  TermFit fit = {};
};

}  // namespace poet
