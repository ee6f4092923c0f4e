#include "poet/model/onnx_file_newer.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

namespace poet {
namespace {

constexpr int kOverloadOfNode = 8;
constexpr int kDefaultsOfFunction = 11;
constexpr int kOverloadOfFunction = 13;

// Every value of a field of bytes, declared or not.
std::vector<std::string> values_of(const google::protobuf::Message& message, int number) {
  std::vector<std::string> values;
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  const google::protobuf::FieldDescriptor* const declared =
      message.GetDescriptor()->FindFieldByNumber(number);
  if (declared == nullptr) {
    const google::protobuf::UnknownFieldSet& fields = reflection.GetUnknownFields(message);
    for (int i = 0; i < fields.field_count(); ++i)
      if (fields.field(i).number() == number &&
          fields.field(i).type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
        values.push_back(fields.field(i).length_delimited());
  } else if (declared->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
    for (int i = 0; i < reflection.FieldSize(message, declared); ++i)
      values.push_back(reflection.GetRepeatedMessage(message, declared, i).SerializeAsString());
  } else if (reflection.HasField(message, declared)) {
    values.push_back(reflection.GetString(message, declared));
  }
  return values;
}

std::string last_of(const std::vector<std::string>& values) {
  return values.empty() ? "" : values.back();
}

}  // namespace

std::string overload_of(const onnx::NodeProto& node) {
  return last_of(values_of(node, kOverloadOfNode));
}

std::string overload_of(const onnx::FunctionProto& function) {
  return last_of(values_of(function, kOverloadOfFunction));
}

Result<std::vector<onnx::AttributeProto>> default_attributes_of(
    const onnx::FunctionProto& function) {
  std::vector<onnx::AttributeProto> attributes;
  for (const std::string& bytes : values_of(function, kDefaultsOfFunction)) {
    onnx::AttributeProto attribute;
    if (!attribute.ParseFromString(bytes))
      return bad_input("the default value of an attribute is cut off or nested too deeply");
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

}  // namespace poet
