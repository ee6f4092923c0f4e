// Outlives a library that calls abort(), or that reads where nothing is (docs/model/numbers.md
// §3.3).
#include "poet/solve/library_abort.h"

#include <link.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

namespace poet {
namespace {

// Where the thread goes on when a library gives up in it.
thread_local sigjmp_buf* landing = nullptr;

// What the program did about them.
struct sigaction previous_on_abort = {};
struct sigaction previous_on_fault = {};

// Where the code of the libraries for linear and integer programs lies.
struct CodeRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};
std::vector<CodeRange> library_code;

// With the libraries whose names begin so: libCbcSolver, libOsiClp.
constexpr std::string_view kLibraries[] = {"/libCbc", "/libCgl", "/libClp", "/libOsi",
                                           "/libCoinUtils"};

int note_library(dl_phdr_info* information, std::size_t, void*) {
  const std::string_view name = information->dlpi_name;
  if (std::none_of(std::begin(kLibraries), std::end(kLibraries), [name](std::string_view library) {
        return name.find(library) != std::string_view::npos;
      }))
    return 0;
  for (int n = 0; n < information->dlpi_phnum; ++n) {
    const auto& segment = information->dlpi_phdr[n];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = information->dlpi_addr + segment.p_vaddr;
    library_code.push_back({.begin = begin, .end = begin + segment.p_memsz});
  }
  return 0;
}

// The instruction that was executed, where the machine's manner of saying it is known.
std::uintptr_t instruction_of([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
  return 0;
#endif
}

// In the libraries' own code no lock is held: those of the C library are taken in its own.
bool is_in_library(const void* context) {
  const std::uintptr_t instruction = instruction_of(context);
  return std::any_of(library_code.begin(), library_code.end(), [instruction](const CodeRange& one) {
    return one.begin <= instruction && instruction < one.end;
  });
}

// Whether the library itself gave up: a signal that somebody else sends is meant for the program.
bool is_own_abort(const siginfo_t& information) {
  return information.si_code == SI_TKILL && information.si_pid == getpid();
}

// abort() may be left by a jump: the C library holds no lock while its signal is handled.
void on_abort(int number, siginfo_t* information, void*) {
  if (landing != nullptr && is_own_abort(*information)) siglongjmp(*landing, 1);
  sigaction(SIGABRT, &previous_on_abort, nullptr);
  raise(number);  // once this handler has returned
}

// A fault of anybody else comes again once this handler has returned, and is then theirs; one that
// somebody sent would not.
void on_fault(int number, siginfo_t* information, void* context) {
  const bool is_sent = information->si_code <= 0;
  if (landing != nullptr && !is_sent && is_in_library(context)) siglongjmp(*landing, 1);
  sigaction(SIGSEGV, &previous_on_fault, nullptr);
  if (is_sent) raise(number);
}

void watch() {
  dl_iterate_phdr(note_library, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_abort;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGABRT, &action, &previous_on_abort);
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;  // where a stack ran out, on the one for that
  sigaction(SIGSEGV, &action, &previous_on_fault);
}

}  // namespace

bool survives_abort(const std::function<void()>& work) {
  static std::once_flag watching;
  std::call_once(watching, watch);
  sigjmp_buf here;
  if (sigsetjmp(here, 1) != 0) {
    landing = nullptr;
    return false;
  }
  landing = &here;
  try {
    work();
  } catch (...) {
    landing = nullptr;
    throw;
  }
  landing = nullptr;
  return true;
}

}  // namespace poet
