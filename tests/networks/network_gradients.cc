// network_gradients GOLDEN FOLDER: writes FOLDER/gradients.bin, float32: the loss, then the
// gradients of all parameters, in the golden's order. Everything else that is needed, the model and
// its weights, goes to FOLDER too. tools/compare_networks.py compares all of it with PyTorch.
#include <cstdio>
#include <exception>
#include <string>

#include "networks/network_golden.h"
#include "networks/network_step.h"
#include "poet/base/text_file.h"

namespace poet {
namespace {

Result<std::string> all_values(const testing::NetworkGolden& golden,
                               const testing::NetworkStep& step) {
  const auto loss = static_cast<float>(step.loss);
  std::string bytes(reinterpret_cast<const char*>(&loss), sizeof loss);
  if (step.gradients.size() != golden.gradients.size())
    return bad_input("we train other parameters than PyTorch does");
  for (const testing::GoldenGradient& theirs : golden.gradients) {
    const auto ours = step.gradients.find(theirs.name);
    if (ours == step.gradients.end()) return bad_input("we do not train " + theirs.name);
    bytes.append(reinterpret_cast<const char*>(ours->second.bytes.data()),
                 ours->second.bytes.size());
  }
  return bytes;
}

Failure write_gradients(const std::string& golden_path, const std::string& folder) {
  const testing::NetworkGolden golden = testing::read_network_golden(golden_path);
  const Result<testing::NetworkStep> step = testing::take_step(golden, folder);
  if (!step.ok()) return step.error();
  const Result<std::string> bytes = all_values(golden, *step);
  if (!bytes.ok()) return bytes.error();
  return write_text_file(folder + "/gradients.bin", *bytes);
}

}  // namespace
}  // namespace poet

int main(int count, char** words) {
  if (count != 3) {
    std::fprintf(stderr, "usage: network_gradients GOLDEN FOLDER\n");
    return 2;
  }
  try {
    const poet::Failure failure = poet::write_gradients(words[1], words[2]);
    if (!failure) return 0;
    std::fprintf(stderr, "%s\n", to_string(*failure).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 1;
}
