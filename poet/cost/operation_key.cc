#include "poet/cost/operation_key.h"

#include <fmt/format.h>

#include <optional>
#include <variant>
#include <vector>

namespace poet {
namespace {

// A list of "name=value", each after a space.
class Fields {
 public:
  Fields& add(std::string_view name, const std::string& value) {
    text_ += fmt::format(" {}={}", name, value);
    return *this;
  }
  Fields& number(std::string_view name, double value) {
    return add(name, fmt::format("{}", value));
  }
  Fields& real(std::string_view name, float value) { return add(name, fmt::format("{}", value)); }
  Fields& whole(std::string_view name, std::int64_t value) {
    return add(name, std::to_string(value));
  }
  Fields& flag(std::string_view name, bool value) { return add(name, value ? "true" : "false"); }
  Fields& list(std::string_view name, const std::vector<std::int64_t>& values) {
    std::string text;
    for (const std::int64_t value : values)
      text += (text.empty() ? "" : ", ") + std::to_string(value);
    return add(name, "[" + text + "]");
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// One function for each kind of attributes: every field that the work depends on.
std::string fields_of(const std::monostate&) {
  return {};
}
std::string fields_of(const ScalarAttributes& of) {
  return Fields().real("alpha", of.alpha).real("beta", of.beta).take();
}
std::string fields_of(const MatMulAttributes& of) {
  Fields fields;
  fields.flag("transpose_a", of.transpose_a).flag("transpose_b", of.transpose_b);
  fields.real("alpha", of.alpha).real("beta", of.beta);
  if (of.sum_to) fields.list("sum_to", *of.sum_to);
  return fields.take();
}
std::string fields_of(const WindowAttributes& of) {
  Fields fields;
  fields.list("kernel", of.kernel).list("stride", of.stride);
  fields.list("padding_begin", of.padding_begin).list("padding_end", of.padding_end);
  fields.list("dilation", of.dilation).whole("groups", of.groups);
  fields.flag("round_up", of.round_up).flag("counts_padding", of.counts_padding);
  if (!of.output_padding.empty()) fields.list("output_padding", of.output_padding);
  return fields.take();
}
std::string fields_of(const NormAttributes& of) {
  return Fields()
      .real("epsilon", of.epsilon)
      .whole("groups", of.groups)
      .whole("axis", of.axis)
      .take();
}
std::string fields_of(const RunningAttributes& of) {
  Fields fields;
  fields.real("rate", of.rate).flag("unbiased", of.unbiased);
  return fields.real("epsilon", of.epsilon).whole("count", of.count).take();
}
std::string fields_of(const RowPartAttributes& of) {
  Fields fields;
  fields.flag("by_channel", of.by_channel).whole("axis", of.axis);
  fields.whole("begin", of.begin).whole("extent", of.extent).whole("images", of.images);
  return fields.flag("continues", of.continues).real("epsilon", of.epsilon).take();
}
std::string fields_of(const ReducePartAttributes& of) {
  Fields fields;
  fields.list("axes", of.axes).flag("keeps_dimensions", of.keeps_dimensions);
  return fields.whole("count", of.count).take();
}
std::string fields_of(const GatherPartAttributes& of) {
  Fields fields;
  fields.whole("axis", of.axis).whole("begin", of.begin).whole("count", of.count);
  return fields.whole("extent", of.extent).take();
}
std::string fields_of(const DropoutPartAttributes& of) {
  Fields fields;
  fields.real("probability", of.probability).list("begin", of.begin);
  return fields.list("whole", of.whole).take();
}
std::string fields_of(const ClassPartAttributes& of) {
  Fields fields;
  fields.add("reduction", std::string(name_of(kReductions, of.reduction)));
  if (of.ignored_label) fields.whole("ignored_label", *of.ignored_label);
  fields.real("label_smoothing", of.label_smoothing);
  return fields.whole("begin", of.begin)
      .whole("classes", of.classes)
      .flag("continues", of.continues)
      .take();
}
std::string fields_of(const AxisAttributes& of) {
  return Fields().whole("axis", of.axis).take();
}
std::string fields_of(const TopKAttributes& of) {
  Fields fields;
  fields.whole("axis", of.axis).whole("count", of.count);
  return fields.flag("largest", of.largest).take();
}
std::string fields_of(const ArgAttributes& of) {
  return Fields().whole("axis", of.axis).flag("last", of.last).take();
}
std::string fields_of(const GatherNdAttributes& of) {
  return Fields().whole("batch", of.batch).take();
}
std::string fields_of(const ScatterAttributes& of) {
  return Fields().whole("axis", of.axis).flag("adds", of.adds).take();
}
std::string fields_of(const ReduceAttributes& of) {
  return Fields().list("axes", of.axes).flag("keeps_dimensions", of.keeps_dimensions).take();
}
std::string fields_of(const ShapeAttributes& of) {
  return Fields().list("shape", of.shape).take();
}
std::string fields_of(const TransposeAttributes& of) {
  return Fields().list("permutation", of.permutation).take();
}
std::string fields_of(const SliceAttributes& of) {
  return Fields().list("start", of.start).list("step", of.step).list("extent", of.extent).take();
}
std::string fields_of(const PadAttributes& of) {
  Fields fields;
  fields.list("begin", of.begin).list("end", of.end);
  return fields.add("mode", std::string(name_of(kPadModes, of.mode)))
      .real("value", of.value)
      .take();
}
std::string fields_of(const CastAttributes& of) {
  return Fields().add("to", std::string(name_of(kElementTypes, of.to))).take();
}
std::string fields_of(const DecodeAttributes& of) {
  return Fields()
      .whole("bits", of.blocks.bits)
      .whole("block", of.blocks.values)
      .list("row", of.row)
      .take();
}
std::string fields_of(const DropoutAttributes& of) {
  return Fields().real("probability", of.probability).take();
}
std::string fields_of(const LossAttributes& of) {
  Fields fields;
  fields.add("reduction", std::string(name_of(kReductions, of.reduction)));
  if (of.ignored_label) fields.whole("ignored_label", *of.ignored_label);
  return fields.real("label_smoothing", of.label_smoothing).take();
}
std::string fields_of(const UpdateAttributes& of) {
  Fields fields;
  fields.real("weight_decay", of.weight_decay).real("momentum", of.momentum);
  fields.real("dampening", of.dampening);
  fields.number("beta1", of.beta1).number("beta2", of.beta2).real("epsilon", of.epsilon);
  return fields.real("largest_norm", of.largest_norm).take();
}

std::string fields_of(const WeightUpdateAttributes& of) {
  Fields gradient;
  gradient.add("of", std::string(entry_of(of.gradient).name));
  Fields update;
  update.add("by", std::string(entry_of(of.update).name));
  return gradient.take() +
         std::visit([](const auto& attributes) { return fields_of(attributes); },
                    of.gradient_attributes) +
         update.take() + fields_of(of.update_attributes);
}

std::string list_of(const std::vector<TensorType>& types) {
  std::string text;
  for (const TensorType& type : types) text += (text.empty() ? "" : ", ") + to_text(type);
  return "(" + text + ")";
}

}  // namespace

std::string operation_key(const OperationTypes& types) {
  const std::string fields =
      std::visit([](const auto& attributes) { return fields_of(attributes); }, types.attributes);
  return fmt::format("{}{} {} -> {}", entry_of(types.kind).name, fields, list_of(types.inputs),
                     list_of(types.outputs));
}

std::string example_key(const TensorType& type) {
  return to_text(type);
}

}  // namespace poet
