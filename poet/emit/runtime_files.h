#pragma once

#include <set>
#include <string>
#include <string_view>

namespace poet {

// The files of poet/runtime that C needs which calls these functions: those that define them, what
// they call in turn, and every header that one of these includes. Each function must stand in one.
std::set<std::string> runtime_files(const std::set<std::string>& functions);

// Where a kernel is declared, and the type of its shape, as its header says.
struct KernelDeclaration {
  std::string_view header;      // "poet/runtime/conv.h"
  std::string_view shape_type;  // "poet_conv_shape"
};
KernelDeclaration declaration_of(std::string_view function);

// Where any function that programs call is declared.
std::string_view header_of(std::string_view function);

}  // namespace poet
