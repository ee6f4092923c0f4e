# Every dependency, with the version it is tested with and the reason for it (docs/decisions/0001-dependencies.md).

# JSON in and out: problems, schedules, plans, reports. Touched by poet/base/json.
find_package(nlohmann_json 3.11 REQUIRED)
# The command line. Touched by apps/cli.
find_package(CLI11 2.1 REQUIRED)

# What programs that are linked with the library need as well.
macro(poet_find)
  find_package(${ARGN} REQUIRED)
endmacro()
macro(poet_find_modules name)
  pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${ARGN})
endmacro()
option(POET_ONEDNN "Offer the kernels of oneDNN, where it is installed" ON)
include(${CMAKE_CURRENT_LIST_DIR}/linked_dependencies.cmake)
if(POET_ONEDNN AND NOT POET_HAS_ONEDNN)
  message(STATUS "oneDNN 2 was not found: --kernels onednn will be refused")
endif()

# Sweeps and trainings on several machines; without it there is one machine. Touched by apps/cli/mpi_*.
option(POET_MPI "Let sweeps and trainings run under MPI, where it is installed" ON)
if(POET_MPI)
  find_package(MPI COMPONENTS CXX)
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

if(POET_BUILD_TESTS)
  find_package(GTest 1.12 REQUIRED)
  include(GoogleTest)
  # Properties on generated instances, with the seed printed on failure.
  find_package(rapidcheck REQUIRED)
endif()
