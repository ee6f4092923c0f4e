#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/measure/power_rows.h"

namespace poet {

// One use of an unknown: an execution of an operation, or a byte.
struct TermFigure {
  double value = 0;  // at least 0
  // The standard error, by how far the fits of the log's parts lie apart; none: there is one part.
  std::optional<double> error = {};
};

// What is known of a term without the log.
struct ExpectedTerm {
  double seconds = 0;  // of one use; 0: not known
  int family = 0;      // such as operations: those that are most alike in what they draw
};

struct TermFit {
  TermFigure seconds = {};
  TermFigure joules = {};
  // Not 0: the log alone does not say it. Terms of one number are known together only.
  std::int32_t together = 0;
  // Of such: what they take together is divided by what each was expected to take. Otherwise its
  // figures mean nothing.
  bool divided = false;

  bool is_known() const { return together == 0 || divided; }
};

struct PowerFit {
  std::vector<TermFit> terms = {};
  // Of the rows' means: the root of the mean square of what the fit misses, by that of what was
  // measured. What equal operations do not have in common is in it, beside what is not fitted.
  double joules_residual_ratio = 0;
  double seconds_residual_ratio = 0;
  // The row that is missed by most joules, and by how many.
  std::int64_t worst_row = 0;
  double worst_row_j = 0;
  bool converged = true;
};

// The joules and seconds of each use of each term, none below 0, with which the sum of the squares
// of what the rows of all steps miss is least, each weighted by the reciprocal of its time, as the
// variance of a sum of samples grows with it. Which terms cannot be told apart is found in exact
// arithmetic on the counts, so that no tolerance decides it. Where seconds are expected of all of a
// set of such terms, as few of them as possible are taken for one, in proportion to these: first
// those that occur in the same rows, then those of a family, then all.
PowerFit fit_power(const std::vector<LoggedAction>& step, const PowerRows& rows,
                   const std::vector<ExpectedTerm>& terms);

}  // namespace poet
