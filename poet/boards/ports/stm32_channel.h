/* Transfers beside the processor: whole blocks of a card at the STM32's SDIO or SDMMC move by DMA2
 * while the processor computes. Only projects whose plan has such transfers have this file. */
#pragma once

#include <stdint.h>

#include "poet/runtime/transfers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The port's channel, for poet_set_channel(), after poet_port_open(); `ended` is
 * poet_transfer_ended. It takes stream 3 of DMA2 for itself, and no interrupt: it goes on when it
 * is looked at, between two actions and while the step waits. What fails beside the processor is
 * done again by the callbacks of the storage, and poet_port_problem() says why that failed. */
const poet_channel* poet_port_channel(void (*ended)(int32_t failed));

#ifdef __cplusplus
}
#endif
