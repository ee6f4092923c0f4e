#include "poet/use/training_defaults.h"

namespace poet {

float default_learning_rate(Optimiser optimiser) {
  switch (optimiser) {
    case Optimiser::Sgd:
      return 0.05F;
    case Optimiser::Momentum:
    case Optimiser::Nesterov:
      return 0.02F;
    case Optimiser::Adam:
    case Optimiser::AdamW:
      return 0.001F;
  }
  return 0;
}

}  // namespace poet
