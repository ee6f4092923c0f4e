#include "poet/measure/measured_device.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace poet {
namespace {

MachineFigures figures() {
  MachineFigures figures{.name = "mine",
                         .title = "My machine",
                         .when = "on 2026-01-02",
                         .ram_bytes = 1 << 30,
                         .ram_bytes_per_s = {4e9, 5e9, 6e9},
                         .step_flop = 8'000'000,
                         .step_s = 0.004,
                         .step = "lenet5 with reference kernels",
                         .storage_path = "io_uring",
                         .compute_power = {4, "assumed: 4 W"},
                         .storage_power = {0.5, "assumed: 0.5 W"}};
  figures.storage.read = {.latency_s = 1e-5, .rate_bytes_per_s = 2e9, .largest_error = 0.25};
  figures.storage.write = {.latency_s = 2e-5, .rate_bytes_per_s = 1e9};
  figures.storage.reads.resize(6);
  figures.storage.samples = 15;
  return figures;
}

TEST(MeasuredDevice, HasEveryFigure) {
  const Result<Device> device = measured_device(figures());
  ASSERT_TRUE(device.ok()) << to_string(device.error());
  EXPECT_EQ(device->name, "mine");
  EXPECT_EQ(device->title, "My machine");
  EXPECT_EQ(device->ram_bytes, 1 << 30);
  EXPECT_EQ(device->ram_bytes_per_s, 5e9);
  EXPECT_EQ(device->compute, (ComputeRates{.flop_per_s = 2e9, .flop_per_j = 5e8}));
  EXPECT_EQ(device->storage.read, (StorageLink{1e-5, 2e9, 0.5}));
  EXPECT_EQ(device->storage.write, (StorageLink{2e-5, 1e9, 0.5}));
  EXPECT_EQ(device->idle_w, 0);
  EXPECT_EQ(device->time_mode, TimeMode::Blocking);
}

TEST(MeasuredDevice, SaysWhereEachNumberComesFrom) {
  const Result<Device> device = measured_device(figures());
  ASSERT_TRUE(device.ok());
  std::map<std::string, std::string> sources;
  for (const DeviceFigure& figure : device->figures) sources[figure.key] = figure.source;
  EXPECT_EQ(
      sources["compute.rate"],
      "measured on 2026-01-02: 8 MFLOP of a step of lenet5 with reference kernels in 0.004 s");
  EXPECT_EQ(sources["compute.efficiency"], "the rate by the power; assumed: 4 W");
  EXPECT_EQ(sources["storage.read_rate"],
            "measured on 2026-01-02: 15 transfers of each of 6 sizes from 4 KiB to 4 MiB, read "
            "(io_uring); the fitted line misses none by more than 25 %");
  EXPECT_EQ(sources["storage.write_power"], "assumed: 0.5 W");
}

TEST(MeasuredDevice, HasIdlePowerWhereThatIsKnown) {
  MachineFigures with_idle = figures();
  with_idle.idle_power = SourcedPower{3, "measured"};
  EXPECT_EQ(measured_device(with_idle)->idle_w, 3);
}

TEST(MeasuredDevice, RefusesNothingTimed) {
  MachineFigures nothing = figures();
  nothing.step_flop = 0;
  EXPECT_FALSE(measured_device(nothing).ok());
}

}  // namespace
}  // namespace poet
