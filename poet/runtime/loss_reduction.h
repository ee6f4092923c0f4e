/* What a loss does with the losses of its elements. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

enum poet_loss_reduction {
  POET_LOSS_NONE = 0, /* one loss for each element */
  POET_LOSS_SUM = 1,  /* their sum */
  POET_LOSS_MEAN = 2  /* the sum divided by what the loss says */
};

#ifdef __cplusplus
}
#endif
