#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace poet {

// A C function of poet/runtime behind one signature for all. What it is passed comes in its own
// order: pointers to const, then the others, the last of which may be a workspace.
struct Kernel {
  std::string_view name;         // of the C function: "poet_relu_forward_f32"
  std::int32_t shape_bytes = 0;  // of its shape struct, which is made of words of 4 bytes
  int inputs = 0;
  int outputs = 0;  // and the workspace
  void (*call)(const void* shape, const void* const* inputs, void* const* outputs) = nullptr;
};

// Sorted by name.
const std::vector<Kernel>& kernel_table();

// Null where there is none of that name.
const Kernel* find_kernel(std::string_view name);

}  // namespace poet
