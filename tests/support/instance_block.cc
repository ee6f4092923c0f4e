#include "instance_block.h"

namespace poet::testing {

std::vector<InstanceBlock> every_block(std::uint64_t seeds_before, std::uint64_t seeds_apart) {
  std::vector<InstanceBlock> blocks;
  std::uint64_t seed = seeds_before;
  for (const bool paging : {true, false})
    for (const bool rematerialisation : {true, false})
      for (const TimeMode mode : {TimeMode::Free, TimeMode::Blocking})
        blocks.push_back({paging, rematerialisation, mode, seed += seeds_apart});
  return blocks;
}

RandomProblemOptions options_of(const InstanceBlock& block) {
  RandomProblemOptions options;
  options.paging = block.paging;
  options.rematerialisation = block.rematerialisation;
  options.time_mode = block.mode;
  return options;
}

void PrintTo(const InstanceBlock& block, std::ostream* out) {
  *out << (block.paging ? "paging" : "no paging")
       << (block.rematerialisation ? ", rematerialisation" : ", no rematerialisation")
       << (block.mode == TimeMode::Free ? ", free" : ", blocking");
}

std::string name_of(const InstanceBlock& block) {
  return std::string(block.paging ? "Paging" : "NoPaging") +
         (block.rematerialisation ? "Remat" : "NoRemat") +
         (block.mode == TimeMode::Free ? "Free" : "Blocking");
}

}  // namespace poet::testing
