#include "apps/cli/service_process.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <vector>

#include "apps/cli/answer.h"
#include "poet/service/least_rights.h"

namespace poet::cli {

namespace fs = std::filesystem;

ServiceClock system_clocks() {
  using std::chrono::steady_clock;
  using std::chrono::system_clock;
  const auto begin = steady_clock::now();
  return {
      .elapsed_s =
          [begin] { return std::chrono::duration<double>(steady_clock::now() - begin).count(); },
      .unix_s =
          [] { return static_cast<std::int64_t>(system_clock::to_time_t(system_clock::now())); }};
}

std::string own_path() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? std::string("/proc/self/exe") : path.string();
}

std::vector<std::string> worker_words(std::int64_t memory_bytes) {
  return {own_path(), "serve", "--job-memory", fmt::format("{}", memory_bytes), "--work"};
}

void keep_files_private() {
  umask(S_IRWXG | S_IRWXO);
}

void warn_of_rights() {
  warn(fmt::format("Landlock cannot take from workers: {}",
                   fmt::join(rights_that_stay(landlock_version()), "; ")));
}

}  // namespace poet::cli
