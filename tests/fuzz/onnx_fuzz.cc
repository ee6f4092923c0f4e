// Whatever the bytes, a model is read or refused in words, and so it is imported; what is imported
// keeps every rule of models, and importing it again gives the same.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "poet/base/check.h"
#include "poet/model/onnx_import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poet;
  const Result<OnnxModel> file = parse_onnx(std::as_bytes(std::span(data, size)), "fuzz.onnx");
  if (!file.ok()) {
    POET_CHECK(to_string(file.error()).starts_with("fuzz.onnx: "));
    return 0;
  }
  const OnnxImportOptions options{.batch_size = 2};
  const Result<Model> model = import_onnx(*file, options);
  if (!model.ok()) {
    POET_CHECK(to_string(model.error()).starts_with("fuzz.onnx: "));
    return 0;
  }
  POET_CHECK(!check_model(*model));
  const Result<Model> again = import_onnx(*file, options);
  // Not the attributes: a number among them may be NaN, which equals nothing.
  POET_CHECK(again.ok() && again->graph.tensors == model->graph.tensors);
  return 0;
}
