#pragma once

#include <string_view>

namespace poet {

// PyTorch names a parameter after the module that has it. What the export itself calculated it
// calls "onnx::Conv_48", "48" before version 1.12, and "val_48" since it exports by tracing.
inline bool was_calculated(std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == name.size()) return false;
  const std::string_view before = name.substr(0, digits);
  return digits == 0 || before == "val_" || (before.starts_with("onnx::") && before.back() == '_');
}

// A tensor that a module made while it ran is no parameter of it.
inline bool was_made_in_passing(std::string_view name) {
  return name.find("lifted_tensor") != name.npos || name.find("Constant") != name.npos;
}

}  // namespace poet
