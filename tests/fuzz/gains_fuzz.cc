// Whatever the bytes, a file of gains is read or refused in one line; what was read is about the
// network, and written it reads back equal.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "poet/base/check.h"
#include "poet/model/real_networks.h"
#include "poet/use/training_gains.h"

namespace {

const poet::Graph& network() {
  static const poet::Model model = *poet::real_network("lenet5", {});
  return model.graph;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const poet::Result<poet::TrainingGains> gains = poet::parse_gains(text, "fuzz.json", network());
  if (!gains.ok()) {
    const std::string message = to_string(gains.error());
    POET_CHECK(!message.empty() && message.find('\n') == std::string::npos);
    return 0;
  }
  for (const auto* const part : {&gains->parameters, &gains->layers})
    for (const auto& [name, gain] : *part) POET_CHECK(!name.empty() && std::isfinite(gain));
  const std::vector<bool> none(network().tensors.size(), false);
  POET_CHECK(gain_of(*gains, network(), none) == 0);
  const poet::Result<poet::TrainingGains> again =
      poet::parse_gains(gains_text(*gains), "fuzz.json", network());
  POET_CHECK(again.ok());
  POET_CHECK(again->parameters == gains->parameters && again->layers == gains->layers);
  return 0;
}
