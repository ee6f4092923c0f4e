# Every dependency, with the version it is tested with and the reason for it (docs/decisions/0001-dependencies.md).

# JSON in and out: problems, schedules, plans, reports. Touched by poet/base/json.
find_package(nlohmann_json 3.11 REQUIRED)
# TOML with line numbers: device files. Touched by poet/device/device_file.cc.
find_package(tomlplusplus 3.3 REQUIRED)
# Text formatting; std::format is not in g++ 12.
find_package(fmt 9.1 REQUIRED)
# The command line. Touched by apps/cli.
find_package(CLI11 2.1 REQUIRED)

# Linear programs (Clp) and integer programs (Cbc), the default backend. Touched by poet/solve/*_backend.cc.
find_package(PkgConfig REQUIRED)
pkg_check_modules(CBC REQUIRED IMPORTED_TARGET cbc osi-clp clp cgl osi coinutils)

# Points of sweeps that outlive a run. Touched by poet/store.
find_package(SQLite3 3.40 REQUIRED)

# Pages of a plan to and from a disk: several pieces under way together. Touched by poet/disk/kernel_ring.cc.
pkg_check_modules(URING REQUIRED IMPORTED_TARGET liburing>=2.3)
# Checksums of those pages. Touched by poet/disk/checksum.cc.
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash>=0.8)

# Hashes of contents: checkpoints, plans that are kept. Touched by poet/base/sha256.cc.
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)

# Regular expressions of users, in linear time. Touched by poet/base/regular_expression.cc.
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
# Its -pthread says nothing to the compiler here, and precompiled headers serve one set of flags.
set_target_properties(PkgConfig::RE2 PROPERTIES INTERFACE_COMPILE_OPTIONS "")

# Data that are packed: gzip, and the entries of NPZ archives. Touched by poet/data/unpack*.
find_package(ZLIB 1.2.13 REQUIRED)

# The service over HTTP. Touched by poet/service/http_server*.
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib>=0.11.4)
# Projects of C as one file to download. Touched by poet/service/zip_archive.cc.
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip>=1.7.3)

# Models in and out: the messages of ONNX, and protobuf, which they are made with. Touched by poet/model/onnx_file*.
find_package(Protobuf 3.21 REQUIRED)
find_package(ONNX 1.12 REQUIRED)

# Sweeps on several machines; without it there is one machine. Touched by apps/cli/mpi_*.
option(POET_MPI "Let sweeps run under MPI, where it is installed" ON)
if(POET_MPI)
  find_package(MPI COMPONENTS CXX)
endif()

# Threads of kernels: oneDNN's own, so that there is one kind. Touched by poet/kernels/threads.cc.
find_package(OpenMP 4.5 REQUIRED COMPONENTS CXX)
# Fast kernels on the host. Touched by poet/onednn.
option(POET_ONEDNN "Offer the kernels of oneDNN, where it is installed" ON)
if(POET_ONEDNN)
  # Not by its own CMake file, which asks for OpenCL's headers.
  find_path(DNNL_INCLUDE_FOLDER dnnl.hpp)
  find_library(DNNL_LIBRARY dnnl)
  if(DNNL_INCLUDE_FOLDER AND DNNL_LIBRARY)
    file(STRINGS ${DNNL_INCLUDE_FOLDER}/oneapi/dnnl/dnnl_version.h DNNL_MAJOR REGEX "define DNNL_VERSION_MAJOR")
    string(REGEX MATCH "[0-9]+$" DNNL_MAJOR "${DNNL_MAJOR}")
  endif()
  if(DNNL_MAJOR EQUAL 2)
    set(POET_HAS_ONEDNN ON)
    add_library(poet_dnnl INTERFACE)
    target_include_directories(poet_dnnl SYSTEM INTERFACE ${DNNL_INCLUDE_FOLDER})
    target_link_libraries(poet_dnnl INTERFACE ${DNNL_LIBRARY})
  else()
    message(STATUS "oneDNN 2 was not found: --kernels onednn will be refused")
  endif()
endif()

# The Python package; without its headers there is none. Touched by python/src. Debian's NumPy and PyTorch are those of
# its own Python, so that one is taken where it is there. A sanitizer would have to be loaded before Python itself.
option(POET_PYTHON "Build the Python module, where Python's headers and pybind11 are installed" ON)
if(POET_PYTHON AND NOT POET_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  if(NOT Python_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python_EXECUTABLE /usr/bin/python3)
  endif()
  set(Python_EXECUTABLE "${Python_EXECUTABLE}" CACHE FILEPATH "The Python that the module is made for")
  find_package(Python 3.9 COMPONENTS Interpreter Development.Module)
  set(PYBIND11_FINDPYTHON ON)
  find_package(pybind11 2.10 CONFIG)
  if(Python_Development.Module_FOUND AND pybind11_FOUND)
    set(POET_HAS_PYTHON ON)
  else()
    message(STATUS "Python's headers or pybind11 were not found: the Python module is left out")
  endif()
endif()

find_package(Threads REQUIRED)

if(POET_BUILD_TESTS)
  find_package(GTest 1.12 REQUIRED)
  include(GoogleTest)
  # Properties on generated instances, with the seed printed on failure.
  find_package(rapidcheck REQUIRED)
endif()
