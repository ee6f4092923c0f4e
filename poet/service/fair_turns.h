#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace poet {

// Who is served next: people take turns, however many requests each of them has waiting, and nobody
// is served more than `most_each` at the same time. Of one person, the oldest request is first.
class FairTurns {
 public:
  explicit FairTurns(int most_each) : most_each_(most_each) {}

  // A request, by a number of its own.
  void wait(const std::string& who, std::uint64_t number);
  // The request whose turn it is, which is served from now on; nothing while nobody's is.
  std::optional<std::uint64_t> next();
  // One that next() gave is done.
  void done(const std::string& who);
  // One that waits is given up.
  void leave(const std::string& who, std::uint64_t number);

 private:
  struct Person {
    std::deque<std::uint64_t> waiting;
    int served = 0;
  };
  void forget_if_idle(const std::string& who);

  int most_each_;
  std::map<std::string, Person> people_;
  std::deque<std::string> turns_;  // who has something waiting, the next one first
};

}  // namespace poet
