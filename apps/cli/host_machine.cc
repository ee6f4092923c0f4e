#include "apps/cli/host_machine.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

namespace poet::cli {
namespace {

// "model name : ..." of the first processor; nothing where the system does not say so.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::string today() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{:04}-{:02}-{:02}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday);
}

}  // namespace

Machine host_machine() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGE_SIZE);
  return {.title = fmt::format("{} (one of {} processors)", processor_name(),
                               std::thread::hardware_concurrency()),
          .date = today(),
          .ram_bytes = pages > 0 && page_bytes > 0 ? std::int64_t{pages} * page_bytes : 1};
}

double computed_s() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void rest_for(double seconds, const std::stop_token& token) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, token, std::chrono::duration<double>(seconds), [] { return false; });
}

}  // namespace poet::cli
