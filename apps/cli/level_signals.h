#pragma once

#include <cstddef>

namespace poet::cli {

// While it lives, SIGUSR1 asks for one RAM budget less and SIGUSR2 for one more. One of them at a
// time.
class LevelSignals {
 public:
  LevelSignals();
  ~LevelSignals();
  LevelSignals(const LevelSignals&) = delete;
  LevelSignals& operator=(const LevelSignals&) = delete;

  // How many levels below the largest budget were asked for, of so many that there are.
  static std::size_t level(std::size_t levels);
};

}  // namespace poet::cli
