#include "poet/emit/storage_wear.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "poet/base/message_text.h"

namespace poet {
namespace {

constexpr double kDaysInAYear = 365.25;

std::int64_t in_whole(std::int64_t size_bytes, std::int64_t block_bytes) {
  return (size_bytes + block_bytes - 1) / block_bytes * block_bytes;
}

std::int64_t first_block(const StorageWrite& write, std::int64_t block_bytes) {
  return write.offset_bytes / block_bytes;
}
std::int64_t last_block(const StorageWrite& write, std::int64_t block_bytes) {
  return (write.offset_bytes + std::max<std::int64_t>(write.size_bytes, 1) - 1) / block_bytes;
}

// A transfer, and how often a day has it.
struct DailyWrite {
  StorageWrite write;
  double times;
};

// Checkpoints go into two places in turn: values, then the header before them.
std::vector<DailyWrite> daily_writes(const std::vector<StorageWrite>& step, const StorageMap& map,
                                     const DailyUse& use) {
  std::vector<DailyWrite> list;
  for (const StorageWrite& write : step)
    list.push_back({write, use.steps * static_cast<double>(write.times)});
  const double saves_in_each = use.steps / static_cast<double>(use.save_every) / 2;
  for (const std::int64_t slot : {std::int64_t{0}, map.slot_bytes}) {
    list.push_back({{.offset_bytes = slot + map.values_begin(), .size_bytes = map.values_bytes},
                    saves_in_each});
    list.push_back({{.offset_bytes = slot, .size_bytes = map.header_bytes}, saves_in_each});
  }
  return list;
}

// Erasures of a day, where each transfer erases every block that it touches.
double erasures(const std::vector<DailyWrite>& list, std::int64_t erase_bytes) {
  double count = 0;
  for (const DailyWrite& one : list)
    count += one.times * static_cast<double>(last_block(one.write, erase_bytes) -
                                             first_block(one.write, erase_bytes) + 1);
  return count;
}

// Of the block that has most of them.
double most_erasures(const std::vector<DailyWrite>& list, std::int64_t erase_bytes) {
  // Where the count changes: as many blocks as the storage has need not be gone through.
  std::map<std::int64_t, double> changes;
  for (const DailyWrite& one : list) {
    changes[first_block(one.write, erase_bytes)] += one.times;
    changes[last_block(one.write, erase_bytes) + 1] -= one.times;
  }
  double now = 0;
  double most = 0;
  for (const auto& [block, change] : changes) {
    now += change;
    most = std::max(most, now);
  }
  return most;
}

std::string missing_fact(const WearFacts& facts) {
  if (!facts.cycles) return "storage.cycles";
  if (!facts.levelled_bytes) return "storage.levelled";
  if (*facts.levelled_bytes == 0 && !facts.erase_bytes) return "storage.erase";
  return {};
}

void set_years(const std::vector<DailyWrite>& list, const WearFacts& facts,
               WearEstimate& estimate) {
  if (*facts.levelled_bytes == 0) {
    estimate.most_years = *facts.cycles / most_erasures(list, *facts.erase_bytes) / kDaysInAYear;
    estimate.least_years = estimate.most_years;
    return;
  }
  const double bytes = static_cast<double>(*facts.levelled_bytes) * *facts.cycles / kDaysInAYear;
  estimate.most_years = bytes / estimate.bytes_per_day;
  if (facts.erase_bytes)
    estimate.least_years =
        bytes / (erasures(list, *facts.erase_bytes) * static_cast<double>(*facts.erase_bytes));
}

// Any number of steps may be asked about, and more bytes than an integer holds.
std::string daily_bytes_text(double bytes) {
  constexpr double kExact = 0x1p53;
  return bytes < kExact ? bytes_text(std::llround(bytes)) : fmt::format("{:.3g} bytes", bytes);
}

}  // namespace

StorageWear storage_wear(const std::vector<StorageWrite>& step, const StorageMap& map,
                         const WearFacts& facts, const std::optional<DailyUse>& use) {
  StorageWear wear{.checkpoint_bytes = map.values_bytes + map.header_bytes};
  for (const StorageWrite& write : step)
    wear.step_bytes += write.times * in_whole(write.size_bytes, map.block_bytes);
  if (!use) return wear;
  WearEstimate& estimate = wear.estimate.emplace();
  estimate.use = *use;
  estimate.bytes_per_day = use->steps * static_cast<double>(wear.step_bytes) +
                           use->steps / static_cast<double>(use->save_every) *
                               static_cast<double>(wear.checkpoint_bytes);
  estimate.unknown = missing_fact(facts);
  if (estimate.unknown.empty()) set_years(daily_writes(step, map, *use), facts, estimate);
  return wear;
}

std::string wear_text(const WearEstimate& estimate) {
  const std::string day = fmt::format("{} a day", daily_bytes_text(estimate.bytes_per_day));
  if (!estimate.unknown.empty())
    return fmt::format("{}; for how many years is unknown, as the device has no {}", day,
                       estimate.unknown);
  if (!estimate.least_years)
    return fmt::format(
        "{}: {:.2g} years at most; the least is unknown, as the device has no "
        "storage.erase",
        day, *estimate.most_years);
  if (*estimate.least_years == *estimate.most_years)
    return fmt::format("{}: {:.2g} years until the block that is written most is worn out", day,
                       *estimate.most_years);
  return fmt::format("{}: {:.2g} to {:.2g} years", day, *estimate.least_years,
                     *estimate.most_years);
}

}  // namespace poet
