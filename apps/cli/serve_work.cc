#include "apps/cli/serve_work.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <new>
#include <stop_token>
#include <system_error>
#include <thread>

#include "apps/cli/answer.h"
#include "apps/cli/environment.h"
#include "apps/cli/exit_code.h"
#include "apps/cli/search_command.h"
#include "poet/base/text_file.h"
#include "poet/service/least_rights.h"
#include "poet/service/work.h"

namespace poet::cli {
namespace {

constexpr int kPollMs = 100;
constexpr int kLongestEndMs = 30'000;  // from the wish to end; the service waits for less
constexpr rlim_t kLargestFileBytes = rlim_t{2} << 30;
constexpr rlim_t kMostFiles = 256;

void limit(int what, rlim_t most) {
  const rlimit value{.rlim_cur = most, .rlim_max = most};
  setrlimit(static_cast<__rlimit_resource_t>(what), &value);
}

void limit_this_process(std::int64_t memory_bytes) {
  if (memory_bytes > 0) limit(RLIMIT_AS, static_cast<rlim_t>(memory_bytes));
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, kLargestFileBytes);
  limit(RLIMIT_NOFILE, kMostFiles);
  // Whoever asks is answered first.
  setpriority(PRIO_PROCESS, 0, 10);
}

// The first signal tells the service why it ended; whoever does not hear it is killed.
void limit_processor_time(double cpu_s) {
  const auto soft = static_cast<rlim_t>(std::ceil(std::clamp(cpu_s, 1.0, 1e9)));
  const rlimit value{.rlim_cur = soft, .rlim_max = soft + 1};
  setrlimit(RLIMIT_CPU, &value);
}

// Wherever memory is asked for, and whatever library asks: without a word to it.
void end_without_memory() {
  static constexpr char kSentence[] = "poet: there is not enough memory\n";
  static_cast<void>(!write(STDERR_FILENO, kSentence, sizeof kSentence - 1));
  _exit(kExitWorkerNoMemory);
}

// A worker reads what came with its order, and what solvers and their libraries need.
KeptRights rights_of_worker(const std::string& folder) {
  KeptRights rights{.folder = folder};
  rights.reads = {"/etc/ld.so.cache",    "/etc/localtime", "/etc/ssl/openssl.cnf", "/dev/null",
                  "/dev/urandom",        "/proc/self",     "/proc/cpuinfo",        "/proc/meminfo",
                  "/sys/devices/system", "/sys/fs/cgroup", "/usr/share",           "/opt"};
  rights.runs = {"/proc/self/exe", "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib"};
  for (const std::string& directory : library_directories()) rights.runs.push_back(directory);
  const std::string licence = environment_variable("GRB_LICENSE_FILE");
  if (!licence.empty()) rights.reads.push_back(licence);
  // Its licence may be on a server.
  rights.connects = !environment_variable("GUROBI_HOME").empty();
  return rights;
}

// Asks for a stop when standard input ends: the service closes it, or is gone. Who does not hear
// ends all the same: nobody may be there to see to it.
void watch_input(const std::stop_token& over, std::stop_source& stop) {
  std::array<char, 64> ignored;
  int asked_ms = -1;
  while (!over.stop_requested()) {
    if (asked_ms >= 0) {
      poll(nullptr, 0, kPollMs);
      asked_ms += kPollMs;
      if (asked_ms > kLongestEndMs) _exit(kExitBug);
      continue;
    }
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (poll(&input, 1, kPollMs) <= 0) continue;
    if (read(STDIN_FILENO, ignored.data(), ignored.size()) > 0) continue;
    stop.request_stop();
    asked_ms = 0;
  }
}

int do_work_within(const std::string& folder, std::int64_t memory_bytes) {
  end_with_parent();
  limit_this_process(memory_bytes);
  signal(SIGPIPE, SIG_IGN);
  std::set_new_handler(end_without_memory);
  // The service has said what this kernel cannot take.
  static_cast<void>(keep_least_rights(rights_of_worker(folder)));
  const std::filesystem::path place(folder);
  const Result<std::string> text = read_text_file((place / kOrderFile).string());
  if (!text.ok()) return refuse(text.error(), Output::Text);
  Result<WorkOrder> order = parse_order(*text);
  if (!order.ok()) return refuse(order.error(), Output::Text);
  limit_processor_time(order->limits.cpu_s);
  order->question.asked.solve.library_directories = library_directories();

  std::stop_source stop;
  const std::jthread watch([&stop](const std::stop_token& over) { watch_input(over, stop); });
  const WorkOutput output =
      do_work(*order, folder, {stop.get_token(), new_clock(), order->limits.search_s},
              [](const std::string& line) { print_text(line + "\n", kExitFound); });
  if (Failure failure = write_text_file((place / kOutputFile).string(), output_text(output)))
    return refuse(*failure, Output::Text);
  return kExitFound;
}

}  // namespace

int do_work_in(const std::string& folder, std::int64_t memory_bytes) {
  try {
    return do_work_within(folder, memory_bytes);
  } catch (const std::system_error& error) {
    // A thread that cannot be started has no room for its stack.
    if (error.code() == std::errc::resource_unavailable_try_again) end_without_memory();
    throw;
  }
}

}  // namespace poet::cli
