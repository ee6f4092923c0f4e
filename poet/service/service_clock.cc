#include "poet/service/service_clock.h"

#include <fmt/core.h>

namespace poet {

// Days to a date by H. Hinnant's algorithm: eras of 400 years that begin in March.
std::string utc_text(std::int64_t unix_s) {
  constexpr std::int64_t kDay = 86'400;
  const std::int64_t second = ((unix_s % kDay) + kDay) % kDay;
  const std::int64_t days = (unix_s - second) / kDay + 719'468;
  const std::int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const std::int64_t day_of_era = days - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted_month = (5 * day_of_year + 2) / 153;
  const std::int64_t day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
  const std::int64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  const std::int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", year, month, day, second / 3600,
                     second / 60 % 60, second % 60);
}

}  // namespace poet
