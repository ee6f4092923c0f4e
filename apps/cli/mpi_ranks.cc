#include "apps/cli/mpi_ranks.h"

#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <time.h>

#include <limits>
#include <vector>

#include "apps/cli/mpi_start.h"
#include "poet/base/check.h"

namespace poet::cli {
namespace {

constexpr int kTag = 1;
// MPI itself waits by asking without a break, which would take a core from those who work. What is
// on its way from a neighbour comes within a few looks; anything else takes long enough to sleep.
constexpr int kLooks = 200;
constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 100'000};

int size_of(std::size_t bytes) {
  POET_CHECK(bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
  return static_cast<int>(bytes);
}

// Errors of MPI end the whole job, as MPI has it by default.
class MpiRanks final : public Ranks {
 public:
  explicit MpiRanks(RankPlace place) : place_(place) {}

  RankPlace place() const override { return place_; }

  MessageTicket start_send(int to, std::span<const std::byte> bytes) override {
    const std::size_t at = free_place();
    MPI_Isend(bytes.data(), size_of(bytes.size()), MPI_BYTE, to, kTag, MPI_COMM_WORLD,
              &requests_[at]);
    return static_cast<MessageTicket>(at);
  }

  MessageTicket start_receive(int from, std::span<std::byte> into) override {
    const std::size_t at = free_place();
    MPI_Irecv(into.data(), size_of(into.size()), MPI_BYTE, from, kTag, MPI_COMM_WORLD,
              &requests_[at]);
    return static_cast<MessageTicket>(at);
  }

  void wait(MessageTicket ticket) override {
    MPI_Request& request = requests_[static_cast<std::size_t>(ticket)];
    for (int looks = 0;; ++looks) {
      int done = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return;
      if (looks < kLooks)
        sched_yield();
      else
        ppoll(nullptr, 0, &kPause, nullptr);
    }
  }

 private:
  // MPI sets a request that is done to null.
  std::size_t free_place() {
    for (std::size_t at = 0; at < requests_.size(); ++at)
      if (requests_[at] == MPI_REQUEST_NULL) return at;
    requests_.push_back(MPI_REQUEST_NULL);
    return requests_.size() - 1;
  }

  RankPlace place_;
  std::vector<MPI_Request> requests_ = {};
};

}  // namespace

std::unique_ptr<Ranks> join_mpi_ranks() {
  start_mpi();
  RankPlace place;
  MPI_Comm_rank(MPI_COMM_WORLD, &place.own);
  MPI_Comm_size(MPI_COMM_WORLD, &place.count);
  return std::make_unique<MpiRanks>(place);
}

void leave_mpi_ranks() {
  MPI_Finalize();
}

}  // namespace poet::cli
