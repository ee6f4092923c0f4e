#pragma once

#include <cstdint>
#include <memory>

#include "poet/ask/question.h"
#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/data/dataset.h"
#include "poet/model/model.h"
#include "poet/use/train_network.h"
#include "poet/use/training_gains.h"

namespace poet {

// Of each parameter, the mean over batches of the squared norm of the loss's gradient: by so much a
// step of gradient descent on that parameter alone lowers the loss of its batch, to first order and
// for a learning rate of one. To first order what several parameters do adds up, and so do these.
//
// The batches are the first that training would see (data, order, batch size and augmentation of
// the request), all with the values that the network begins with, as if everything was trained: so
// batch norms go by the batch. Weights in blocks count as what they decode to. All of the network's
// values are in memory, whatever budget the request has. Refuses gradients that are not finite, and
// what training_graph() refuses.
Result<TrainingGains> measured_gains(const TrainRequest& request, std::int64_t batches,
                                     const Stop& stop, const GainsProgress& progress = {});

// The examples that the batches are of: those that training learns from. `model` is
// base_model_of() the question.
Result<std::shared_ptr<const Dataset>> data_for_gains(const TrainRequest& request,
                                                      const Question& question, const Model& model);

}  // namespace poet
