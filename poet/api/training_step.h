#pragma once

#include <string>

#include "poet/api/plan_request.h"
#include "poet/autodiff/training_graph.h"
#include "poet/base/result.h"
#include "poet/model/model.h"

namespace poet {

// Which training graph a request means: "file" with a costed graph, otherwise what it asks for, or
// "real" for the networks of `poet models` and ONNX files and "released" for names that only the
// released code has.
std::string graph_of(const PlanRequest& request);

// Whether a request names a file in place of a network: it ends with ".onnx", or has a slash.
bool names_onnx_file(const std::string& model);

// The network that a request names, with the sizes that it asks for. Refuses unknown names and
// files that are no models, and sizes that the network does not have.
Result<Model> load_model(const PlanRequest& request);

// One training step of it, in the order of least plain peak that was found.
Result<TrainingGraph> training_step(const PlanRequest& request);

}  // namespace poet
