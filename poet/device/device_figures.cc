#include "poet/device/device_figures.h"

#include "poet/base/byte_text.h"
#include "poet/base/duration_text.h"
#include "poet/base/unit_text.h"

namespace poet {
namespace {

const std::vector<Unit> kTransferUnits = {
    {"B/s", 1},           {"KB/s", 1e3}, {"KiB/s", 1024},         {"MB/s", 1e6},
    {"MiB/s", 1'048'576}, {"GB/s", 1e9}, {"GiB/s", 1'073'741'824}};
const std::vector<Unit> kCycleUnits = {{"cycles", 1}};
const std::vector<Unit> kPowerUnits = {{"uW", 1e-6}, {"mW", 1e-3}, {"W", 1}};
const std::vector<Unit> kRateUnits = {
    {"FLOP/s", 1}, {"KFLOP/s", 1e3}, {"MFLOP/s", 1e6}, {"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}};
const std::vector<Unit> kEfficiencyUnits = {
    {"FLOP/J", 1}, {"KFLOP/J", 1e3}, {"MFLOP/J", 1e6}, {"GFLOP/J", 1e9}, {"TFLOP/J", 1e12}};
const std::vector<Unit> kFrequencyUnits = {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}};
const std::vector<Unit> kVoltageUnits = {{"mV", 1e-3}, {"V", 1}};
const std::vector<Unit> kCurrentUnits = {{"nA", 1e-9}, {"uA", 1e-6}, {"mA", 1e-3}, {"A", 1}};
const std::vector<Unit> kCurrentByClockUnits = {{"uA/MHz", 1e-12}, {"mA/MHz", 1e-9}};

Result<FigureValue> read_size(std::string_view text, const SourcePos& where) {
  const Result<std::int64_t> bytes = parse_bytes(text, where);
  if (!bytes) return bytes.error();
  return FigureValue{static_cast<double>(*bytes), *bytes};
}

Result<FigureValue> read_quantity(std::string_view text, const std::vector<Unit>& units,
                                  const SourcePos& where) {
  const Result<double> value = parse_quantity(text, units, where);
  if (!value) return value.error();
  return FigureValue{*value, 0};
}

Result<FigureValue> read_time(std::string_view text, const SourcePos& where) {
  return read_quantity(text, duration_units(), where);
}
Result<FigureValue> read_transfer(std::string_view text, const SourcePos& where) {
  return read_quantity(text, kTransferUnits, where);
}
Result<FigureValue> read_power(std::string_view text, const SourcePos& where) {
  return read_quantity(text, kPowerUnits, where);
}
Result<FigureValue> read_rate(std::string_view text, const SourcePos& where) {
  return read_quantity(text, kRateUnits, where);
}
Result<FigureValue> read_efficiency(std::string_view text, const SourcePos& where) {
  return read_quantity(text, kEfficiencyUnits, where);
}

Result<FigureValue> read_cycles(std::string_view text, const SourcePos& where) {
  return read_quantity(text, kCycleUnits, where);
}

Result<FigureValue> read_frequency(std::string_view text, const SourcePos& where) {
  return read_quantity(text, kFrequencyUnits, where);
}

Result<FigureValue> read_voltage(std::string_view text, const SourcePos& where) {
  return read_quantity(text, kVoltageUnits, where);
}

Result<FigureValue> read_current(std::string_view text, const SourcePos& where) {
  return read_quantity(text, kCurrentUnits, where);
}

Result<FigureValue> read_current_by_clock(std::string_view text, const SourcePos& where) {
  return read_quantity(text, kCurrentByClockUnits, where);
}

const FigureKind kSize = {"256 KiB", read_size};
const FigureKind kCycles = {"100000 cycles", read_cycles};
const FigureKind kTime = {"0.5 ms", read_time};
const FigureKind kTransfer = {"4.4 MB/s", read_transfer};
const FigureKind kPower = {"330 mW", read_power};
const FigureKind kRate = {"6.4 MFLOP/s", read_rate};
const FigureKind kEfficiency = {"580 MFLOP/J", read_efficiency};
const FigureKind kCoreCycles = {"1.2 cycles", read_cycles};
const FigureKind kFrequency = {"64 MHz", read_frequency};
const FigureKind kVoltage = {"3 V", read_voltage};
const FigureKind kCurrent = {"3.3 mA", read_current};
const FigureKind kCurrentByClock = {"52 uA/MHz", read_current_by_clock};

}  // namespace

const std::vector<FigureRowOf<DeviceMemory>>& memory_figure_table() {
  using enum FigureNeed;
  using enum FigureLeast;
  static const std::vector<FigureRowOf<DeviceMemory>> table = {
      {{"", "size", &kSize, Required, AboveZero},
       [](DeviceMemory& memory, const FigureValue& size) { memory.size_bytes = size.bytes; }},
      {{"", "read_rate", &kTransfer, Required, AboveZero},
       [](DeviceMemory& memory, const FigureValue& rate) {
         memory.read_rate_bytes_per_s = rate.value;
       }},
      {{"", "read_power", &kPower, Required, Zero},
       [](DeviceMemory& memory, const FigureValue& power) { memory.read_power_w = power.value; }},
      {{"", "write_rate", &kTransfer, Required, AboveZero},
       [](DeviceMemory& memory, const FigureValue& rate) {
         memory.write_rate_bytes_per_s = rate.value;
       }},
      {{"", "write_power", &kPower, Required, Zero},
       [](DeviceMemory& memory, const FigureValue& power) { memory.write_power_w = power.value; }},
  };
  return table;
}

const std::vector<FigureRow>& figure_table() {
  using enum FigureNeed;
  using enum FigureLeast;
  static const std::vector<FigureRow> table = {
      {{"ram", "size", &kSize, Required, AboveZero},
       [](Device& device, const FigureValue& size) { device.ram_bytes = size.bytes; }},
      {{"ram", "rate", &kTransfer, Optional, AboveZero},
       [](Device& device, const FigureValue& rate) { device.ram_bytes_per_s = rate.value; }},
      {{"compute", "rate", &kRate, Required, AboveZero},
       [](Device& device, const FigureValue& rate) { device.compute.flop_per_s = rate.value; }},
      {{"compute", "efficiency", &kEfficiency, Required, AboveZero},
       [](Device& device, const FigureValue& flop) { device.compute.flop_per_j = flop.value; }},
      {{"storage", "capacity", &kSize, Optional, Zero},
       [](Device& device, const FigureValue& size) { device.storage.capacity_bytes = size.bytes; }},
      {{"storage", "block", &kSize, Optional, AboveZero},
       [](Device& device, const FigureValue& size) { device.storage.block_bytes = size.bytes; }},
      {{"storage", "erase", &kSize, Optional, AboveZero},
       [](Device& device, const FigureValue& size) { device.storage.erase_bytes = size.bytes; }},
      {{"storage", "cycles", &kCycles, Optional, AboveZero},
       [](Device& device, const FigureValue& cycles) {
         device.storage.rated_cycles = cycles.value;
       }},
      {{"storage", "levelled", &kSize, Optional, Zero},
       [](Device& device, const FigureValue& size) { device.storage.levelled_bytes = size.bytes; }},
      {{"storage", "read_latency", &kTime, Required, Zero},
       [](Device& device, const FigureValue& time) { device.storage.read.latency_s = time.value; }},
      {{"storage", "read_rate", &kTransfer, Required, AboveZero},
       [](Device& device, const FigureValue& rate) {
         device.storage.read.rate_bytes_per_s = rate.value;
       }},
      {{"storage", "read_power", &kPower, Required, Zero},
       [](Device& device, const FigureValue& power) {
         device.storage.read.active_power_w = power.value;
       }},
      {{"storage", "write_latency", &kTime, Required, Zero},
       [](Device& device, const FigureValue& time) {
         device.storage.write.latency_s = time.value;
       }},
      {{"storage", "write_rate", &kTransfer, Required, AboveZero},
       [](Device& device, const FigureValue& rate) {
         device.storage.write.rate_bytes_per_s = rate.value;
       }},
      {{"storage", "write_power", &kPower, Required, Zero},
       [](Device& device, const FigureValue& power) {
         device.storage.write.active_power_w = power.value;
       }},
      {{"power", "idle", &kPower, Optional, Zero},
       [](Device& device, const FigureValue& power) { device.idle_w = power.value; }},
  };
  return table;
}

const std::vector<FigureRowOf<Datasheet>>& datasheet_figure_table() {
  using enum FigureNeed;
  using enum FigureLeast;
  static const std::vector<FigureRowOf<Datasheet>> table = {
      {{"core", "clock", &kFrequency, Required, AboveZero},
       [](Datasheet& sheet, const FigureValue& clock) { sheet.clock_hz = clock.value; }},
      {{"core", "cycles_per_instruction", &kCoreCycles, Optional, AboveZero},
       [](Datasheet& sheet, const FigureValue& cycles) {
         sheet.cycles_per_instruction = cycles.value;
       }},
      {{"supply", "voltage", &kVoltage, Required, AboveZero},
       [](Datasheet& sheet, const FigureValue& voltage) { sheet.supply_v = voltage.value; }},
      {{"current", "active", &kCurrent, Optional, AboveZero},
       [](Datasheet& sheet, const FigureValue& current) { sheet.active_a = current.value; }},
      {{"current", "active_by_clock", &kCurrentByClock, Optional, AboveZero},
       [](Datasheet& sheet, const FigureValue& current) { sheet.active_a_per_hz = current.value; }},
      {{"current", "idle", &kCurrent, Optional, Zero},
       [](Datasheet& sheet, const FigureValue& current) { sheet.idle_a = current.value; }},
      {{"storage", "read_latency", &kTime, Optional, Zero},
       [](Datasheet& sheet, const FigureValue& time) { sheet.read.latency_s = time.value; }},
      {{"storage", "read_rate", &kTransfer, Optional, AboveZero},
       [](Datasheet& sheet, const FigureValue& rate) { sheet.read.rate_bytes_per_s = rate.value; }},
      {{"storage", "read_current", &kCurrent, Optional, Zero},
       [](Datasheet& sheet, const FigureValue& current) { sheet.read.current_a = current.value; }},
      {{"storage", "write_latency", &kTime, Optional, Zero},
       [](Datasheet& sheet, const FigureValue& time) { sheet.write.latency_s = time.value; }},
      {{"storage", "write_rate", &kTransfer, Optional, AboveZero},
       [](Datasheet& sheet, const FigureValue& rate) {
         sheet.write.rate_bytes_per_s = rate.value;
       }},
      {{"storage", "write_current", &kCurrent, Optional, Zero},
       [](Datasheet& sheet, const FigureValue& current) { sheet.write.current_a = current.value; }},
  };
  return table;
}

}  // namespace poet
