#include "apps/cli/process_name.h"

#include <fmt/core.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <vector>

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

}  // namespace poet::cli
