// Networks and devices: what there is, by name, in files, and what it consists of.

#include <pybind11/stl.h>

#include "apps/cli/output_files.h"
#include "apps/cli/parse_options.h"
#include "apps/cli/search_command.h"
#include "apps/cli/solve_flags.h"
#include "poet/ask/option_reads.h"
#include "poet/ask/option_table.h"
#include "poet/ask/question.h"
#include "poet/base/names_in.h"
#include "poet/base/number_text.h"
#include "poet/deliver/export_onnx_file.h"
#include "poet/deliver/export_weights_file.h"
#include "poet/device/boards.h"
#include "poet/model/published_weights.h"
#include "poet/model/real_networks.h"
#include "poet/model/released_networks.h"
#include "poet/tell/inspect.h"
#include "python/src/bindings.h"
#include "python/src/refusal.h"

namespace poet::python {
namespace {

py::dict device_figures(const Text& name_or_path) {
  const Device device = or_refuse(load_device(name_or_path));
  py::dict figures;
  figures["name"] = device.name;
  figures["title"] = device.title;
  figures["ram_bytes"] = device.ram_bytes;
  figures["flop_per_s"] = device.compute.flop_per_s;
  figures["flop_per_j"] = device.compute.flop_per_j;
  figures["idle_w"] = device.idle_w;
  figures["time_mode"] = std::string(name_of(kTimeModes, device.time_mode));
  py::list sources;
  for (const DeviceFigure& figure : device.figures)
    sources.append(py::make_tuple(figure.key, figure.text, figure.source));
  figures["figures"] = sources;
  figures["text"] = describe_device(device).text;
  return figures;
}

// What `words` ask, of a network alone.
cli::SolveFlags network_flags(const Words& words) {
  Words whole = words;
  whole.insert(whole.end(), {"--platform", "m4"});
  return or_refuse(cli::read_search_flags("solve", cli::solve_option_rows, whole));
}

py::list named_types(const Model& model, const std::vector<NamedTensor>& tensors) {
  py::list list;
  for (const NamedTensor& named : tensors) {
    const TensorType& type = at(model.graph.tensors, named.tensor).type;
    list.append(py::make_tuple(named.name, std::string(name_of(kElementTypes, type.element)),
                               py::tuple(py::cast(type.shape))));
  }
  return list;
}

py::dict network(const Words& words) {
  const Model model = or_refuse(model_of(or_refuse(read_question(network_flags(words).request))));
  std::int64_t parameters = 0;
  for (const GraphTensor& tensor : model.graph.tensors)
    if (tensor.role == TensorRole::Parameter) parameters += value_count(tensor.type.shape);
  py::dict found;
  found["inputs"] = named_types(model, model.inputs);
  found["outputs"] = named_types(model, model.outputs);
  found["operations"] = model.graph.operations.size();
  found["parameters"] = parameters;
  return found;
}

std::string inspect_network(const Text& name, const Words& words) {
  return or_refuse(inspect(name, network_flags(words).request)).text;
}

// What is asked of a network that is written to a file.
struct WrittenNetwork {
  PlanRequest plan = {};
  NonFinite non_finite = NonFinite::Refused;
};

WrittenNetwork written_network(const Words& words) {
  WrittenNetwork asked;
  bool allows_non_finite = false;
  std::vector<OptionRow> rows = rows_for(QuestionAsker::ExportOnnx, asked.plan);
  rows.push_back({.names = "--seed", .value = "N", .read = [&asked](const std::string& text) {
                    return keep_value(read_whole(text, 0), asked.plan.network.seed);
                  }});
  rows.push_back({.names = "--allow-non-finite", .read = keep_as_switch(allows_non_finite)});
  or_refuse(cli::parse_options("export", rows, words));
  if (allows_non_finite) asked.non_finite = NonFinite::Taken;
  return asked;
}

// What the network is read from stays, but for the file that is written anew with other values.
enum class Written { File, FolderOrFile };
void check_written(const WrittenNetwork& asked, const std::string& path, Written written) {
  cli::SolveFlags flags;
  flags.request = asked.plan;
  cli::CommandFiles files;
  if (written == Written::File || names_safetensors_file(path))
    files.writes("path", path);
  else
    files.fills("path", path, weights_files_in_folder());
  cli::add_what_is_read(flags, files);
  for (const char* const read : {"--model", "--weights", "--adapter-weights"})
    files.allow(read, "path");
  or_refuse(files.check());
}

void export_network(const Words& words, const std::optional<Text>& checkpoint_path,
                    const Text& path, bool merge) {
  const WrittenNetwork asked = written_network(words);
  check_written(asked, path, Written::File);
  or_refuse(export_onnx_file({.plan = asked.plan,
                              .checkpoint_path = checkpoint_path,
                              .out_path = path,
                              .adapters = merge ? WrittenAdapters::Merged : WrittenAdapters::Beside,
                              .non_finite = asked.non_finite}));
}

void export_weights(const Words& words, const std::optional<Text>& checkpoint_path,
                    const Text& path, bool merge) {
  const WrittenNetwork asked = written_network(words);
  check_written(asked, path, Written::FolderOrFile);
  or_refuse(
      export_weights_file({.plan = asked.plan,
                           .checkpoint_path = checkpoint_path,
                           .out_path = path,
                           .adapters = merge ? WrittenAdapters::Merged : WrittenAdapters::Beside,
                           .non_finite = asked.non_finite}));
}

}  // namespace

void add_networks(py::module_& module) {
  module.def("released_networks", [] { return names_in(released_network_table()); });
  module.def("networks", [] { return names_in(real_network_table()); });
  module.def("devices", [] { return names_in(builtin_device_table()); });
  module.def("device", &device_figures);
  module.def("network", &network);
  module.def("inspect", &inspect_network);
  module.def("export_network", &export_network, py::arg("words"), py::arg("checkpoint_path"),
             py::arg("path"), py::arg("merge") = false);
  module.def("export_weights", &export_weights, py::arg("words"), py::arg("checkpoint_path"),
             py::arg("path"), py::arg("merge") = false);
}

}  // namespace poet::python
