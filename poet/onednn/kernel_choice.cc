#include "poet/onednn/kernel_choice.h"

#include "poet/base/check.h"
#include "poet/onednn/onednn_kernels.h"

namespace poet {

std::string kernel_set_name(const KernelChoice& choice) {
  return name_with_threads(name_of(kKernelLibraries, choice.library), choice.threads);
}

Result<std::unique_ptr<KernelSet>> make_kernels(const KernelChoice& choice) {
  switch (choice.library) {
    case KernelLibrary::Reference:
      return reference_kernels(choice.threads);
    case KernelLibrary::Onednn:
      return onednn_kernels(choice.threads, Factors::Float32);
    case KernelLibrary::OnednnBf16:
      return onednn_kernels(choice.threads, Factors::Bfloat16);
  }
  POET_CHECK(false);
}

}  // namespace poet
