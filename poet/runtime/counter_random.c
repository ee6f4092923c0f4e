#include "poet/runtime/counter_random.h"

poet_philox_block poet_philox_4x32(poet_philox_block counter, poet_philox_key key) {
  uint32_t a = counter.word[0];
  uint32_t b = counter.word[1];
  uint32_t c = counter.word[2];
  uint32_t d = counter.word[3];
  uint32_t left = key.word[0];
  uint32_t right = key.word[1];
  for (int32_t round = 0; round < 10; ++round) {
    const uint64_t even = (uint64_t)0xD2511F53u * a;
    const uint64_t odd = (uint64_t)0xCD9E8D57u * c;
    a = (uint32_t)(odd >> 32) ^ b ^ left;
    b = (uint32_t)odd;
    c = (uint32_t)(even >> 32) ^ d ^ right;
    d = (uint32_t)even;
    /* Weyl sequences: the golden ratio and sqrt(3) - 1 as 32 binary digits. */
    left += 0x9E3779B9u;
    right += 0xBB67AE85u;
  }
  const poet_philox_block block = {{a, b, c, d}};
  return block;
}
