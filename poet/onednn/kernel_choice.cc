#include "poet/onednn/kernel_choice.h"

#include "poet/onednn/onednn_kernels.h"

namespace poet {

std::string kernel_set_name(const KernelChoice& choice) {
  return name_with_threads(name_of(kKernelLibraries, choice.library), choice.threads);
}

Result<std::unique_ptr<KernelSet>> make_kernels(const KernelChoice& choice) {
  if (choice.library == KernelLibrary::Onednn) return onednn_kernels(choice.threads);
  return reference_kernels(choice.threads);
}

}  // namespace poet
