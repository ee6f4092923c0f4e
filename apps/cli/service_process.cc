#include "apps/cli/service_process.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <vector>

#include "apps/cli/answer.h"
#include "poet/service/least_rights.h"

namespace poet::cli {

Result<std::string> random_digits(int bytes) {
  std::vector<unsigned char> drawn(static_cast<std::size_t>(bytes));
  if (getrandom(drawn.data(), drawn.size(), 0) != static_cast<ssize_t>(drawn.size()))
    return Error{ErrorCode::Io, "the system gives no random bytes", {}};
  std::string digits;
  for (const unsigned char byte : drawn) digits += fmt::format("{:02x}", byte);
  return digits;
}

Result<std::string> name_of_process() {
  const Result<std::string> digits = random_digits(8);
  if (!digits.ok()) return digits.error();
  std::array<char, 256> given{};
  std::string host =
      gethostname(given.data(), given.size() - 1) == 0 ? given.data() : std::string();
  for (char& letter : host)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '.') letter = '-';
  return fmt::format("{}-{}-{}", host, getpid(), *digits);
}

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
