#include "poet/boards/ports/pl022.h"

#include <stddef.h>

#include "poet/boards/ports/registers.h"

enum { CR0 = 0x00, CR1 = 0x04, DR = 0x08, SR = 0x0C, CPSR = 0x10 }; /* table 3-1 */
enum { EIGHT_BITS = 7u, RATE_SHIFT = 8u };                          /* of CR0 */
enum { ENABLED = 1u << 1 };                                         /* of CR1 */
enum { CAN_SEND = 1u << 1, HAS_RECEIVED = 1u << 2 };                /* of SR */
enum { FIFO_BYTES = 8u, LOOKS = 1000000u };

/* The clock is divided by CPSR, which is even, and by 1 + SCR: 3.3.1 and 3.3.5. */
uint32_t poet_pl022_begin(uint32_t base, uint32_t clock_hz, uint32_t hz) {
  uint32_t divisor = 2;
  uint32_t rate = 1;
  while (divisor < 254u && clock_hz / divisor > hz * 256u) divisor += 2u;
  while (rate < 256u && clock_hz > hz * divisor * rate) ++rate;
  poet_write_register(base + CR1, 0);
  poet_write_register(base + CPSR, divisor);
  poet_write_register(base + CR0, (rate - 1u) << RATE_SHIFT | EIGHT_BITS);
  poet_write_register(base + CR1, ENABLED);
  return clock_hz / (divisor * rate);
}

/* As many bytes on their way as the receiver has room for, so that none is lost. */
int32_t poet_pl022_exchange(uint32_t base, const uint8_t* out, uint8_t* in, uint32_t bytes) {
  uint32_t sent = 0;
  uint32_t looks = LOOKS;
  for (uint32_t received = 0; received < bytes;) {
    const uint32_t state = poet_read_register(base + SR);
    if ((state & HAS_RECEIVED) != 0u) {
      const uint32_t byte = poet_read_register(base + DR);
      if (in != NULL) in[received] = (uint8_t)byte;
      ++received;
      looks = LOOKS;
    } else if ((state & CAN_SEND) != 0u && sent < bytes && sent - received < FIFO_BYTES) {
      poet_write_register(base + DR, out != NULL ? out[sent] : 0xFFu);
      ++sent;
    } else if (--looks == 0u) {
      return -1;
    }
  }
  return 0;
}
