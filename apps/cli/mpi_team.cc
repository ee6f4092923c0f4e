#include "apps/cli/mpi_team.h"

#include <mpi.h>
#include <poll.h>

#include <optional>

#include "apps/cli/mpi_start.h"

namespace poet::cli {
namespace {

constexpr int kQuestion = 1, kAnswer = 2, kEnd = 3;
constexpr int kPauseMs = 5;

// MPI itself waits by asking without a break, which would take a core from those who work.
void pause() {
  poll(nullptr, 0, kPauseMs);
}

void send(int rank, int tag, const std::string& text) {
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, rank, tag, MPI_COMM_WORLD);
}

struct Message {
  int rank = 0;
  int tag = 0;
  std::string text = {};
};

// Nothing when none has come.
std::optional<Message> receive() {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  Message message{status.MPI_SOURCE, status.MPI_TAG, std::string(size, '\0')};
  MPI_Recv(message.text.data(), size, MPI_CHAR, message.rank, message.tag, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return message;
}

// Worker w is rank w + 1.
class MpiTeam final : public SweepTeam {
 public:
  explicit MpiTeam(int workers) : workers_(workers) {}
  int size() const override { return workers_; }
  void give(int worker, const std::string& question) override {
    send(worker + 1, kQuestion, question);
  }
  News wait() override {
    if (std::optional<Message> message = receive())
      return {News::Kind::Answer, message->rank - 1, std::move(message->text)};
    pause();
    return {};
  }

 private:
  int workers_;
};

}  // namespace

int mpi_rank(const std::function<std::string(const char*)>& variable) {
  const std::string size = variable("OMPI_COMM_WORLD_SIZE");
  const std::string rank = variable("OMPI_COMM_WORLD_RANK");
  if (size.empty() || size == "1" || rank.empty()) return -1;
  return std::atoi(rank.c_str());
}

bool has_mpi() {
  return true;
}

std::unique_ptr<SweepTeam> make_mpi_team() {
  start_mpi();
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size > 1 ? std::make_unique<MpiTeam>(size - 1) : nullptr;
}

void serve_mpi(const std::function<std::string(const std::string& question)>& answer) {
  start_mpi();
  for (;;) {
    const std::optional<Message> message = receive();
    if (!message) {
      pause();
      continue;
    }
    if (message->tag == kEnd) break;
    send(0, kAnswer, answer(message->text));
  }
  MPI_Finalize();
}

void end_mpi(bool somebody_at_work) {
  if (somebody_at_work) MPI_Abort(MPI_COMM_WORLD, 1);
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int rank = 1; rank < size; ++rank) send(rank, kEnd, "");
  MPI_Finalize();
}

}  // namespace poet::cli
