#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "poet/base/result.h"
#include "poet/graph/element_type.h"
#include "poet/graph/shape.h"
#include "poet/model/initial.h"

namespace poet {

// What an ONNX file says, in plain structs: no other part of POET knows protobuf. The words are
// those of the format (https://onnx.ai/onnx/intro/concepts.html).

// The oldest and newest versions that are read: of the default operator set, and of the file
// format.
inline constexpr std::int64_t kOldestOpset = 6;
inline constexpr std::int64_t kNewestOpset = 24;
inline constexpr std::int64_t kOldestIrVersion = 3;
inline constexpr std::int64_t kNewestIrVersion = 12;

// An element type that may be one that POET does not have.
struct OnnxElement {
  std::optional<ElementType> known = {};
  std::string name = {};  // "float16"
  // The type that such values are taken as, where POET has not their own: float16, bfloat16 and
  // float64 are taken as float32.
  std::optional<ElementType> taken_as = {};

  std::optional<ElementType> used() const { return known ? known : taken_as; }

  bool operator==(const OnnxElement&) const = default;
};

// Of a number of the format's enumeration TensorProto.DataType.
OnnxElement onnx_element(std::int64_t data_type);

struct OnnxTensor {
  std::string name = {};
  OnnxElement element = {};
  Shape shape = {};  // an extent may be 0
  // As many as the shape wants, row-major, in the file's own type; none when the element type is
  // neither known nor taken as another.
  StoredBytes values = {};
};

// An attribute of a function's node that is an attribute of the call, by its name there.
struct AttributeOfCall {
  std::string name = {};
};

// An attribute of a kind that no operator of ours takes: a graph, a type, a sparse tensor.
struct OtherAttribute {};

struct OnnxAttribute {
  std::string name = {};
  std::variant<OtherAttribute, std::int64_t, float, std::string, OnnxTensor,
               std::vector<std::int64_t>, std::vector<float>, std::vector<std::string>,
               AttributeOfCall>
      value = {};
};

// An empty name among inputs or outputs stands for one that is left out.
struct OnnxNode {
  std::string name = {};  // may be empty
  std::string op_type = {};
  std::string domain = {};  // empty for the default operator set
  std::vector<std::string> inputs = {};
  std::vector<std::string> outputs = {};
  std::vector<OnnxAttribute> attributes = {};
  std::string overload = {};  // which of the functions of that name is called
  std::int64_t opset = 0;     // of the function that the node came from; 0: the model's
};

// An operator that the file defines itself, as nodes. What the nodes read is an input of the
// function or made by one of its nodes.
struct OnnxFunction {
  std::string name = {};
  std::string domain = {};
  std::string overload = {};
  std::int64_t opset = 0;  // of its nodes; 0: the model's
  std::vector<std::string> inputs = {};
  std::vector<std::string> outputs = {};
  std::vector<OnnxAttribute> defaults = {};  // of attributes that a call may leave out
  std::vector<OnnxNode> nodes = {};
};

// "Conv 'conv1'", or with the first output where the node has no name.
std::string title_of(const OnnxNode& node);

// An extent, the name of one, or nothing.
using OnnxDimension = std::variant<std::monostate, std::int64_t, std::string>;

struct OnnxInput {
  std::string name = {};
  OnnxElement element = {};
  std::optional<std::vector<OnnxDimension>> shape = {};  // nothing: not even the rank is known
};

struct OnnxModel {
  std::string path = {};        // for messages
  std::string graph_name = {};  // may be empty
  std::string producer = {};    // the program that wrote it, "pytorch"; may be empty
  std::int64_t opset = 0;
  std::vector<OnnxNode> nodes = {};
  std::vector<OnnxTensor> initializers = {};
  std::vector<OnnxInput> inputs = {};  // those with an initializer too
  std::vector<std::string> outputs = {};
  std::vector<OnnxFunction> functions = {};
  std::vector<std::string> files = {};  // beside it, that hold external data
};

// Reads a model and maps the files beside it that hold its external data. Refuses what is not
// ONNX, other versions than those above, more than 2 GiB (external data may be larger), and tensors
// whose bytes do not fit their shape; external data must lie in the model's folder.
Result<OnnxModel> read_onnx(const std::string& path);

// The same of bytes in memory; external data is looked for beside `path`.
Result<OnnxModel> parse_onnx(std::span<const std::byte> bytes, const std::string& path);

// A file that holds one tensor, as the conformance suite keeps inputs and outputs.
Result<OnnxTensor> read_onnx_tensor(const std::string& path);

}  // namespace poet
