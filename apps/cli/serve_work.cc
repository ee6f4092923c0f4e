#include "apps/cli/serve_work.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <limits>
#include <stop_token>
#include <thread>

#include "apps/cli/answer.h"
#include "apps/cli/environment.h"
#include "apps/cli/search_command.h"
#include "poet/base/text_file.h"
#include "poet/service/work.h"

namespace poet::cli {
namespace {

constexpr int kPollMs = 100;
constexpr rlim_t kLargestFileBytes = rlim_t{2} << 30;

void limit(int what, rlim_t most) {
  const rlimit value{.rlim_cur = most, .rlim_max = most};
  setrlimit(static_cast<__rlimit_resource_t>(what), &value);
}

void limit_this_process(std::int64_t memory_bytes) {
  if (memory_bytes > 0) limit(RLIMIT_AS, static_cast<rlim_t>(memory_bytes));
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, kLargestFileBytes);
  // Whoever asks is answered first.
  setpriority(PRIO_PROCESS, 0, 10);
}

// Asks for a stop when standard input ends: the service closes it, or is gone.
void watch_input(const std::stop_token& over, std::stop_source& stop) {
  std::array<char, 64> ignored;
  while (!over.stop_requested()) {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (poll(&input, 1, kPollMs) <= 0) continue;
    if (read(STDIN_FILENO, ignored.data(), ignored.size()) > 0) continue;
    stop.request_stop();
    return;
  }
}

// Of a curve, each point has its own.
double limit_of(const JobQuestion& question) {
  return question.kind == JobKind::Curve ? std::numeric_limits<double>::infinity()
                                         : question.asked.time_limit_s;
}

}  // namespace

int do_work_in(const std::string& folder, std::int64_t memory_bytes) {
  limit_this_process(memory_bytes);
  signal(SIGPIPE, SIG_IGN);
  const std::filesystem::path place(folder);
  const Result<std::string> text = read_text_file((place / kOrderFile).string());
  if (!text.ok()) return refuse(text.error(), Output::Text);
  Result<WorkOrder> order = parse_order(*text);
  if (!order.ok()) return refuse(order.error(), Output::Text);
  order->question.asked.plan.solve.library_directories = library_directories();

  std::stop_source stop;
  const std::jthread watch([&stop](const std::stop_token& over) { watch_input(over, stop); });
  const WorkOutput output =
      do_work(*order, folder, {stop.get_token(), new_clock(), limit_of(order->question)},
              [](const std::string& line) { print_text(line + "\n", kExitFound); });
  if (Failure failure = write_text_file((place / kOutputFile).string(), output_text(output)))
    return refuse(*failure, Output::Text);
  return kExitFound;
}

}  // namespace poet::cli
