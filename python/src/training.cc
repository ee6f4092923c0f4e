// Training, and what is learnt, as NumPy arrays.

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstring>
#include <memory>
#include <optional>

#include "apps/cli/train_flags.h"
#include "poet/base/json_out.h"
#include "poet/report/trace_file.h"
#include "poet/tell/train_page.h"
#include "poet/tell/train_text.h"
#include "poet/train/checkpoint.h"
#include "poet/use/train_network.h"
#include "poet/use/use_network.h"
#include "python/src/bindings.h"
#include "python/src/refusal.h"

namespace poet::python {
namespace {

constexpr std::size_t kPieceBytes = 128 << 10;

// A training that came to its end, or was stopped.
struct Trained {
  TrainRequest request = {};
  TrainReport report = {};
};

using SharedTrained = std::shared_ptr<Trained>;

std::function<void(const StepLine&)> step_sink(const py::object& callback, const Post& post) {
  PyObject* const called = called_at_news(callback, "on_step");
  if (called == nullptr) return {};
  return [called, post](const StepLine& line) {
    post([called, line] {
      py::dict said;
      said["step"] = line.step;
      said["steps"] = line.steps;
      said["epoch"] = line.epoch;
      said["loss"] = line.loss;
      said["learning_rate"] = line.learning_rate;
      said["step_s"] = line.step_s;
      said["energy_j"] = line.energy_j;
      said["peak_bytes"] = line.peak_bytes;
      said["remaining_s"] = line.remaining_s;
      py::reinterpret_borrow<py::object>(called)(said);
    });
  };
}

// What is opened between steps.
void place_files(TrainRequest& request) {
  std::optional<std::string> storage = request.storage.path;
  stay_in_place(storage);
  request.storage.path = *storage;
  for (std::optional<std::string>* const path :
       {&request.checkpoint_path, &request.best_checkpoint_path, &request.cache.folder,
        &request.ram_wishes.control_path})
    stay_in_place(*path);
}

SharedTrained train(const Words& words, const py::object& on_step, const py::object& progress) {
  cli::TrainFlags flags = or_refuse(cli::read_train_flags("train", cli::train_option_rows, words));
  if (flags.replans.value_or(false))
    or_refuse(
        Failure(bad_input("replan: only the program 'poet train' plans again, in a process "
                          "beside its training")));
  or_refuse(cli::check_train_targets(flags));
  place_files(flags.request);
  flags.request.compares_with_plan = true;
  flags.request.draws_arena = true;
  flags.request.traced_steps = flags.trace_steps;
  TrainReport report =
      beside(flags.solve.request.time_limit_s, [&](const Stop& stop, const Post& post) {
        return or_refuse(train_network(
            flags.request, stop,
            {.step = step_sink(on_step, post), .planning = progress_sink(progress, stop, post)}));
      });
  return std::make_shared<Trained>(Trained{flags.request, std::move(report)});
}

// The type that NumPy has for it.
py::dtype dtype_of(ElementType element) {
  return py::dtype(element == ElementType::Bool ? "?"
                                                : std::string(name_of(kElementTypes, element)));
}

py::array array_of(const TensorType& type) {
  return py::array(dtype_of(type.element), type.shape);
}

// {name: (role, array)} of everything in a checkpoint.
py::dict read_checkpoint(const Text& path) {
  std::vector<std::byte> buffer(kPieceBytes);
  const Checkpoint checkpoint = or_refuse(open_checkpoint(path, buffer));
  py::dict values;
  for (const CheckpointValue& value : checkpoint.values) {
    py::array array = array_of(value.type);
    or_refuse(checkpoint.file->read(value.offset_bytes,
                                    std::span(static_cast<std::byte*>(array.mutable_data()),
                                              static_cast<std::size_t>(size_bytes(value.type)))));
    values[py::str(value.name)] =
        py::make_tuple(std::string(name_of(kTensorRoles, value.role)), array);
  }
  return values;
}

// The outputs of a network for every example, gathered.
class GatheredOutputs {
 public:
  Failure take(const Prediction& batch) {
    shape_ = batch.shape;
    shape_.front() = batch.total_examples;
    const std::size_t row_bytes =
        batch.values.size() / static_cast<std::size_t>(std::max<std::int64_t>(1, batch.examples));
    bytes_.resize(row_bytes * static_cast<std::size_t>(batch.total_examples));
    std::memcpy(bytes_.data() + row_bytes * static_cast<std::size_t>(batch.first_example),
                batch.values.data(), batch.values.size());
    return std::nullopt;
  }

  py::array array() const {
    py::array made(py::dtype("float32"), shape_);
    std::memcpy(made.mutable_data(), bytes_.data(), bytes_.size());
    return made;
  }

 private:
  Shape shape_ = {0};
  std::vector<std::byte> bytes_ = {};
};

py::array predict(const Words& words) {
  const cli::TrainFlags flags =
      or_refuse(cli::read_train_flags("predict", cli::eval_option_rows, words));
  GatheredOutputs outputs;
  const UseReport report =
      beside(flags.solve.request.time_limit_s, [&](const Stop& stop, const Post&) {
        return or_refuse(
            predict_network(cli::use_request(flags), stop,
                            [&outputs](const Prediction& batch) { return outputs.take(batch); }));
      });
  if (!report.no.empty()) throw Refusal{bad_input(report.no)};
  return outputs.array();
}

}  // namespace

void add_training(py::module_& module) {
  py::class_<Trained, SharedTrained>(module, "Trained")
      .def("json", [](const Trained& trained) { return json_text(train_to_json(trained.report)); })
      .def("text", [](const Trained& trained) { return train_text(trained.report); })
      .def("page",
           [](const Trained& trained) { return train_page(trained.request, trained.report); })
      .def("write_trace",
           [](const Trained& trained, const Text& path) {
             if (!trained.report.trace)
               throw Refusal{bad_input("no step was taken: there is no trace")};
             or_refuse(write_trace(path, *trained.report.trace));
           })
      .def("losses",
           [](const Trained& trained) {
             return py::array_t<float>(static_cast<py::ssize_t>(trained.report.losses.size()),
                                       trained.report.losses.data());
           })
      .def_property_readonly("no", [](const Trained& trained) { return trained.report.no; })
      .def_property_readonly("stopped",
                             [](const Trained& trained) { return trained.report.stopped; });
  module.def("train", &train);
  module.def("predict", &predict);
  module.def("read_checkpoint", &read_checkpoint);
}

}  // namespace poet::python
