#include "poet/measure/measured_device.h"

#include <fmt/core.h>

#include "poet/device/device_file.h"
#include "poet/device/device_text.h"

namespace poet {
namespace {

std::string value(double number, std::string_view unit) {
  return fmt::format("{:.6g} {}", number, unit);
}

std::string transfer_source(const MachineFigures& figures, std::string_view what,
                            const TransferFit& fit) {
  return fmt::format(
      "measured {}: {} transfers of each of {} sizes from 4 KiB to 4 MiB, {} ({}); "
      "the fitted line misses none by more than {:.0f} %",
      figures.when, figures.storage.samples, figures.storage.reads.size(), what,
      figures.storage_path, 100 * fit.largest_error);
}

void add_link(Device& device, const MachineFigures& figures, const std::string& what,
              const TransferFit& fit) {
  const std::string source = transfer_source(figures, what == "read" ? "read" : "written", fit);
  device.figures.push_back({"storage." + what + "_latency", value(fit.latency_s, "s"), source});
  device.figures.push_back(
      {"storage." + what + "_rate", value(fit.rate_bytes_per_s, "B/s"), source});
  device.figures.push_back({"storage." + what + "_power", value(figures.storage_power.power_w, "W"),
                            figures.storage_power.source});
}

}  // namespace

Result<Device> measured_device(const MachineFigures& figures) {
  const double flop_per_s = static_cast<double>(figures.step_flop) / figures.step_s;
  const std::string computing =
      fmt::format("measured {}: {:.6g} MFLOP of a step of {} in {:.4g} s", figures.when,
                  static_cast<double>(figures.step_flop) / 1e6, figures.step, figures.step_s);
  Device device;
  device.name = figures.name;
  device.title = figures.title;
  device.figures = {
      {"ram.size", fmt::format("{} B", figures.ram_bytes), "as the operating system says"},
      {"ram.rate", value(figures.ram_bytes_per_s.median, "B/s"),
       fmt::format("measured {}: copying 64 MiB, median; quartiles {:.4g} and {:.4g} GB/s",
                   figures.when, figures.ram_bytes_per_s.first / 1e9,
                   figures.ram_bytes_per_s.third / 1e9)},
      {"compute.rate", value(flop_per_s, "FLOP/s"), computing},
      {"compute.efficiency", value(flop_per_s / figures.compute_power.power_w, "FLOP/J"),
       "the rate by the power; " + figures.compute_power.source}};
  add_link(device, figures, "read", figures.storage.read);
  add_link(device, figures, "write", figures.storage.write);
  if (figures.idle_power)
    device.figures.push_back(
        {"power.idle", value(figures.idle_power->power_w, "W"), figures.idle_power->source});
  return parse_device(device_text(device), "the measured device");
}

}  // namespace poet
