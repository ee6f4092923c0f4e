#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace poet {

// Which of how many ranks.
struct RankPlace {
  int own = 0;
  int count = 1;

  bool operator==(const RankPlace&) const = default;
};

// A message under way.
enum class MessageTicket : std::int32_t {};

// The processes that take each step of a training together, on one machine or on several. Rank 0 is
// who talks to the user.
//
// Messages from one rank to another arrive in the order in which they were begun, and a receiver
// knows how long each is. Whoever goes away ends all: nothing here fails.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual RankPlace place() const = 0;

  // Begin and return at once. The bytes are the message's until wait() for it returns.
  virtual MessageTicket start_send(int to, std::span<const std::byte> bytes) = 0;
  virtual MessageTicket start_receive(int from, std::span<std::byte> into) = 0;
  // Each ticket once.
  virtual void wait(MessageTicket ticket) = 0;
};

}  // namespace poet
