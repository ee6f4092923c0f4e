// Whatever the bytes, a device file is read or refused in one line, and what was read is usable; so
// is a data sheet.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "poet/base/check.h"
#include "poet/device/datasheet.h"
#include "poet/device/device_file.h"

namespace {

void read_as_datasheet(std::string_view text) {
  const poet::Result<poet::Datasheet> sheet = poet::parse_datasheet(text, "fuzz.toml");
  if (!sheet.ok()) {
    const std::string message = to_string(sheet.error());
    POET_CHECK(!message.empty() && message.find('\n') == std::string::npos);
    return;
  }
  POET_CHECK(sheet->clock_hz > 0 && std::isfinite(sheet->clock_hz));
  POET_CHECK(active_a(*sheet) > sheet->idle_a.value_or(0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_as_datasheet(text);
  const poet::Result<poet::Device> device = poet::parse_device(text, "fuzz.toml");
  if (!device.ok()) {
    const std::string message = to_string(device.error());
    POET_CHECK(!message.empty() && message.find('\n') == std::string::npos);
    return 0;
  }
  POET_CHECK(device->ram_bytes > 0);
  POET_CHECK(device->compute.flop_per_s > 0 && std::isfinite(device->compute.flop_per_s));
  POET_CHECK(device->compute.flop_per_j > 0 && std::isfinite(device->compute.flop_per_j));
  POET_CHECK(device->storage.read.rate_bytes_per_s > 0);
  POET_CHECK(device->storage.write.rate_bytes_per_s > 0);
  POET_CHECK(device->idle_w >= 0 && std::isfinite(device->idle_w));
  return 0;
}
