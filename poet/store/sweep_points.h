#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "poet/base/result.h"

namespace poet {

// Some of the points of a sweep, one after the other: [begin, end).
struct PointRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// The points of one sweep: what they were answered, and who is answering them. Processes that share
// them take each point once, and what one of them took and then was lost with, another takes.
class SweepPoints {
 public:
  struct Now {
    // Those of the range that have no answer and that this process has not taken: others are at
    // them, or it may take them yet.
    std::int64_t elsewhere = 0;
    std::int64_t done = 0;  // of all points, as far as others may have done some; otherwise 0
  };

  virtual ~SweepPoints() = default;

  // What a point was answered; nothing as long as it has no answer.
  virtual Result<std::optional<std::string>> find(std::int64_t point) const = 0;
  // The first point of the range that has no answer and is nobody's. It is this process's from now
  // on. Nothing: there is none now.
  virtual Result<std::optional<std::int64_t>> take(const PointRange& range) = 0;
  // Keeps the answer, unless the point has one already; answers with the one that is kept.
  virtual Result<std::string> keep(std::int64_t point, const std::string& answer) = 0;
  // It has no answer, since whoever looks for it dies: nobody takes it any more in this run.
  virtual Failure give_up(std::int64_t point) = 0;
  // Called again and again while this process has points, which stay its own by that.
  virtual Result<Now> look(const PointRange& range) = 0;
  // Others may take at once what this process has taken and not answered.
  virtual void leave() = 0;
  // Where that is, for a message: "the results file 'curve.db'".
  virtual std::string place() const = 0;
  // Whether what was kept is still where it was kept.
  virtual bool in_place() const = 0;
};

}  // namespace poet
