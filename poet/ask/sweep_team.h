#pragma once

#include <string>

#include "poet/base/stop.h"

namespace poet {

// Workers who answer questions, each a text: other processes, here or on other machines.
class SweepTeam {
 public:
  struct News {
    enum class Kind {
      Nothing,  // within the time that was allowed, or because of a stop
      Answer,   // `text`, by `worker`, who is free again
      Lost,     // the question of `worker` is lost; the worker is free again
      Gone,     // the worker as well
    };
    Kind kind = Kind::Nothing;
    int worker = 0;
    std::string text = {};
  };

  virtual ~SweepTeam() = default;
  virtual int size() const = 0;  // workers, those that are gone counted; they are 0 .. size - 1
  virtual void give(int worker, const std::string& question) = 0;
  // Waits for news a fraction of a second at the most.
  virtual News wait() = 0;
};

}  // namespace poet
