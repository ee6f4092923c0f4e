#pragma once

#include <memory>
#include <string>

#include "poet/base/named.h"
#include "poet/base/result.h"
#include "poet/kernels/kernel_set.h"

namespace poet {

// OnednnBf16: oneDNN with factors rounded to bfloat16.
enum class KernelLibrary { Reference, Onednn, OnednnBf16 };

inline constexpr Named<KernelLibrary> kKernelLibraries[] = {
    {"reference", KernelLibrary::Reference},
    {"onednn", KernelLibrary::Onednn},
    {"onednn-bf16", KernelLibrary::OnednnBf16}};

// More would be a mistake: nothing here scales as far.
inline constexpr int kMostThreads = 1024;

// What a step is executed with, as a user says it.
struct KernelChoice {
  KernelLibrary library = KernelLibrary::Reference;
  int threads = 1;  // from 1 to kMostThreads

  bool operator==(const KernelChoice&) const = default;
};

// Of the set of kernels that is chosen, whether or not it can be had here.
std::string kernel_set_name(const KernelChoice& choice);

// Refuses what onednn_kernels() refuses.
Result<std::unique_ptr<KernelSet>> make_kernels(const KernelChoice& choice);

}  // namespace poet
