#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "poet/base/result.h"

namespace poet {

// Fields that messages of ONNX got after the version that Debian 12 has: they are among those that
// protobuf keeps without knowing them. With a newer libonnx they are read as it declares them.

// Which of several functions of one name it is, or is called (IR version 10).
std::string overload_of(const onnx::NodeProto& node);
std::string overload_of(const onnx::FunctionProto& function);

// The attributes of a function that have a default value (IR version 9).
Result<std::vector<onnx::AttributeProto>> default_attributes_of(
    const onnx::FunctionProto& function);

}  // namespace poet
