#include "poet/service/fair_turns.h"

#include <algorithm>
#include <utility>

namespace poet {

void FairTurns::wait(const std::string& who, std::uint64_t number) {
  Person& person = people_[who];
  if (person.waiting.empty()) turns_.push_back(who);
  person.waiting.push_back(number);
}

std::optional<std::uint64_t> FairTurns::next() {
  for (std::size_t k = turns_.size(); k > 0; --k) {
    std::string who = std::move(turns_.front());
    turns_.pop_front();
    Person& person = people_[who];
    if (person.served >= most_each_) {
      turns_.push_back(std::move(who));
      continue;
    }
    const std::uint64_t number = person.waiting.front();
    person.waiting.pop_front();
    ++person.served;
    if (!person.waiting.empty()) turns_.push_back(std::move(who));
    return number;
  }
  return std::nullopt;
}

void FairTurns::done(const std::string& who) {
  --people_[who].served;
  forget_if_idle(who);
}

void FairTurns::leave(const std::string& who, std::uint64_t number) {
  Person& person = people_[who];
  if (std::erase(person.waiting, number) > 0 && person.waiting.empty()) std::erase(turns_, who);
  forget_if_idle(who);
}

void FairTurns::forget_if_idle(const std::string& who) {
  const auto found = people_.find(who);
  if (found->second.served == 0 && found->second.waiting.empty()) people_.erase(found);
}

}  // namespace poet
