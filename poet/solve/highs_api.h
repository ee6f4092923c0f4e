#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "poet/base/result.h"

// The part of the C interface of HiGHS that is used, declared from its documentation, so that
// neither its header nor its library is needed to build. The same from version 1.7 on, with
// 32-bit HighsInt.
namespace poet::highs {

// Their layouts differ between versions: results are read through Highs_getCallbackDataOutItem, and
// the answer's first member is the int that asks to stop.
struct CallbackOut;
struct CallbackIn {
  int user_interrupt;
};
using Callback = void(int type, const char* message, const CallbackOut* out, CallbackIn* in,
                      void* user_data);

namespace model_status {
constexpr int kModelEmpty = 6;
constexpr int kOptimal = 7;
constexpr int kInfeasible = 8;
constexpr int kUnboundedOrInfeasible = 9;
constexpr int kUnbounded = 10;
}  // namespace model_status

namespace callback {
constexpr int kSimplexInterrupt = 1;
constexpr int kIpmInterrupt = 2;
constexpr int kMipImprovingSolution = 4;
constexpr int kMipLogging = 5;
constexpr int kMipInterrupt = 6;
}  // namespace callback

constexpr int kError = -1;
constexpr int kRowwise = 2;
constexpr int kMinimize = 1;
constexpr int kContinuous = 0;
constexpr int kInteger = 1;
constexpr int kSolutionFeasible = 2;

struct Api {
  const char* (*version)() = nullptr;
  int (*getSizeofHighsInt)(const void* highs) = nullptr;
  void* (*create)() = nullptr;
  void (*destroy)(void* highs) = nullptr;
  int (*setBoolOptionValue)(void* highs, const char* option, int value) = nullptr;
  int (*setIntOptionValue)(void* highs, const char* option, int value) = nullptr;
  int (*setDoubleOptionValue)(void* highs, const char* option, double value) = nullptr;
  int (*setStringOptionValue)(void* highs, const char* option, const char* value) = nullptr;
  int (*passMip)(void* highs, int columns, int rows, int terms, int format, int sense,
                 double offset, const double* cost, const double* lower, const double* upper,
                 const double* row_lower, const double* row_upper, const int* begin,
                 const int* index, const double* coefficient, const int* kind) = nullptr;
  int (*passLp)(void* highs, int columns, int rows, int terms, int format, int sense, double offset,
                const double* cost, const double* lower, const double* upper,
                const double* row_lower, const double* row_upper, const int* begin,
                const int* index, const double* coefficient) = nullptr;
  int (*addCols)(void* highs, int columns, const double* cost, const double* lower,
                 const double* upper, int terms, const int* begin, const int* row,
                 const double* coefficient) = nullptr;
  int (*addRows)(void* highs, int rows, const double* lower, const double* upper, int terms,
                 const int* begin, const int* column, const double* coefficient) = nullptr;
  int (*changeColBounds)(void* highs, int column, double lower, double upper) = nullptr;
  int (*setSolution)(void* highs, const double* column_values, const double* row_values,
                     const double* column_duals, const double* row_duals) = nullptr;
  int (*setCallback)(void* highs, Callback* callback, void* user_data) = nullptr;
  int (*startCallback)(void* highs, int type) = nullptr;
  const void* (*getCallbackDataOutItem)(const CallbackOut* out, const char* name) = nullptr;
  int (*run)(void* highs) = nullptr;
  int (*getModelStatus)(const void* highs) = nullptr;
  int (*getSolution)(const void* highs, double* column_values, double* column_duals,
                     double* row_values, double* row_duals) = nullptr;
  int (*getIntInfoValue)(const void* highs, const char* info, int* value) = nullptr;
  int (*getInt64InfoValue)(const void* highs, const char* info, std::int64_t* value) = nullptr;
  int (*getDoubleInfoValue)(const void* highs, const char* info, double* value) = nullptr;
};

// Loads the library and finds every function.
Result<Api> load_api(const std::vector<std::string>& directories);

}  // namespace poet::highs
