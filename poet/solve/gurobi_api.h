#pragma once

#include <string>
#include <vector>

#include "poet/base/result.h"

// The part of Gurobi's C interface that is used, declared from its reference manual (C API), so
// that neither its header nor its library is needed to build. The same for versions 9.5 to 13.
namespace poet::gurobi {

struct Env;
struct Model;

using Callback = int(Model* model, void* callback_data, int where, void* user_data);

constexpr double kInfinity = 1e100;
constexpr int kErrorNoLicense = 10009;

namespace status {
constexpr int kOptimal = 2;
constexpr int kInfeasible = 3;
constexpr int kInfeasibleOrUnbounded = 4;
constexpr int kUnbounded = 5;
constexpr int kCutoff = 6;
}  // namespace status

namespace callback {
constexpr int kMip = 3;
constexpr int kMipBest = 3000;
constexpr int kMipBound = 3001;
constexpr int kMipNodes = 3002;
constexpr int kMipSolution = 4;
constexpr int kMipSolutionValues = 4001;
constexpr int kMipSolutionObjective = 4002;
}  // namespace callback

struct Api {
  void (*version)(int* major, int* minor, int* technical) = nullptr;
  // Versions before 12 and from 12.0.1 on; the others have only the form that states the caller's
  // version.
  int (*emptyenv)(Env** env) = nullptr;
  int (*emptyenvinternal)(Env** env, int major, int minor, int technical) = nullptr;
  int (*startenv)(Env* env) = nullptr;
  void (*freeenv)(Env* env) = nullptr;
  const char* (*geterrormsg)(Env* env) = nullptr;
  Env* (*getenv)(Model* model) = nullptr;
  int (*setintparam)(Env* env, const char* name, int value) = nullptr;
  int (*setdblparam)(Env* env, const char* name, double value) = nullptr;
  int (*newmodel)(Env* env, Model** model, const char* name, int columns, double* cost,
                  double* lower, double* upper, char* kind, char** names) = nullptr;
  int (*freemodel)(Model* model) = nullptr;
  int (*addvars)(Model* model, int columns, int terms, int* begin, int* row, double* coefficient,
                 double* cost, double* lower, double* upper, char* kind, char** names) = nullptr;
  int (*addconstrs)(Model* model, int rows, int terms, int* begin, int* column, double* coefficient,
                    char* sense, double* right_hand_side, char** names) = nullptr;
  int (*updatemodel)(Model* model) = nullptr;
  int (*resetmodel)(Model* model, int clear_all) = nullptr;
  int (*optimize)(Model* model) = nullptr;
  void (*terminate)(Model* model) = nullptr;
  int (*setcallbackfunc)(Model* model, Callback* callback, void* user_data) = nullptr;
  int (*cbget)(void* callback_data, int where, int what, void* result) = nullptr;
  int (*getintattr)(Model* model, const char* name, int* value) = nullptr;
  int (*getdblattr)(Model* model, const char* name, double* value) = nullptr;
  int (*getdblattrarray)(Model* model, const char* name, int first, int length,
                         double* values) = nullptr;
  int (*setdblattrarray)(Model* model, const char* name, int first, int length,
                         double* values) = nullptr;
  int (*setdblattrelement)(Model* model, const char* name, int element, double value) = nullptr;
};

// Loads the library and finds every function.
Result<Api> load_api(const std::vector<std::string>& directories);

}  // namespace poet::gurobi
