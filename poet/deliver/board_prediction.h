#pragma once

#include <cstdint>

#include "poet/base/result.h"
#include "poet/base/stop.h"
#include "poet/boards/board_run.h"
#include "poet/deliver/export_project.h"

namespace poet {

// What a board predicted, beside what this machine says.
struct PredictionComparison {
  std::int64_t examples = 0;   // that were compared
  std::int64_t outputs = 0;    // of each
  std::int64_t different = 0;  // outputs of all of them, by their bits
  double instructions = 0;     // of a prediction on the board
};

// How many examples a board is to predict: those of the first step.
std::int64_t predicted_examples(const ExportRequest& request);

// Takes the same steps here, from the beginning and with all the RAM that they want, predicts the
// same examples with what was learnt, as 'poet predict' does, and compares. Leaves nothing in the
// project's folder. Refuses what train_network() and predict_network() refuse.
Result<PredictionComparison> compare_predictions(const ExportRequest& request,
                                                 const ExportedPrediction& exported,
                                                 const BoardPredictions& predicted,
                                                 const Stop& stop);

}  // namespace poet
