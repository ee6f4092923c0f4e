#include "poet/runtime/counter_random.h"

poet_philox_block poet_philox_4x32(poet_philox_block counter, poet_philox_key key) {
  for (int32_t round = 0; round < 10; ++round) {
    const uint64_t even = (uint64_t)0xD2511F53u * counter.word[0];
    const uint64_t odd = (uint64_t)0xCD9E8D57u * counter.word[2];
    const poet_philox_block mixed = {
        {(uint32_t)(odd >> 32) ^ counter.word[1] ^ key.word[0], (uint32_t)odd,
         (uint32_t)(even >> 32) ^ counter.word[3] ^ key.word[1], (uint32_t)even}};
    counter = mixed;
    /* Weyl sequences: the golden ratio and sqrt(3) - 1 as 32 binary digits. */
    key.word[0] += 0x9E3779B9u;
    key.word[1] += 0xBB67AE85u;
  }
  return counter;
}
