# Test programs. GoogleTest is the costliest thing that they include, so it is precompiled once, with test_main, and
# shared by all (CONTRIBUTING.md, "What checking costs").
set(POET_TEST_FLAGS "" CACHE STRING "More compiler flags for the sources of the tests, for example -O0")
separate_arguments(POET_TEST_FLAGS UNIX_COMMAND "${POET_TEST_FLAGS}")

if(POET_BUILD_TESTS)
  add_library(poet_test_frame INTERFACE)
  target_compile_features(poet_test_frame INTERFACE cxx_std_20)
  target_include_directories(poet_test_frame INTERFACE ${PROJECT_SOURCE_DIR})
  # Tests repeat orders of summation to the bit, so nothing is fused. Position-independent code knows a function by the
  # address that it has within the library.
  target_compile_options(poet_test_frame INTERFACE -ffp-contract=off -fPIC ${POET_TEST_FLAGS})
  target_compile_options(poet_test_frame INTERFACE ${POET_FALSE_ALARMS})
  target_link_libraries(poet_test_frame INTERFACE poet_warnings GTest::gtest)

  add_library(poet_test_main OBJECT
    ${PROJECT_SOURCE_DIR}/tests/support/source_folder.cc
    ${PROJECT_SOURCE_DIR}/tests/support/test_main.cc)
  # In one file only: every other compiles to the same in any folder.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/support/source_folder.cc PROPERTIES
    COMPILE_DEFINITIONS POET_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(poet_test_main PRIVATE poet_for_tests poet_test_frame)
  target_precompile_headers(poet_test_main PRIVATE <gtest/gtest.h> <algorithm> <functional> <map> <optional> <string> <vector>
    <fmt/format.h>)
endif()

# A process takes longer to start than most cases take to run, and under sanitizers ten times as long: there, and where everything is
# run, a program runs in this many parts, or in PARTS, among which GoogleTest deals out its cases.
option(POET_TESTS_IN_PARTS "Run each program of tests in a few parts, and not once for each case" OFF)
set(POET_TEST_PARTS 4)
function(poet_test_in_parts name)
  cmake_parse_arguments(PARSE_ARGV 1 TEST "" "PREFIX;LABEL;TIMEOUT;PARTS" "")
  math(EXPR last "${TEST_PARTS} - 1")
  math(EXPR seconds "2 * ${TEST_TIMEOUT}")
  # Questions to several rooms take longest, and start first.
  set(cost 1)
  if(TEST_LABEL STREQUAL tests)
    set(cost 100)
  endif()
  foreach(part RANGE ${last})
    add_test(NAME ${TEST_PREFIX}.part_${part} COMMAND ${name})
    set_tests_properties(${TEST_PREFIX}.part_${part} PROPERTIES LABELS ${TEST_LABEL} TIMEOUT ${seconds} COST ${cost}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${TEST_PARTS};GTEST_SHARD_INDEX=${part}")
  endforeach()
endfunction()

# A program whose cases are listed as <prefix>.<suite>.<case>, each with the label and its seconds at most; in parts as
# <prefix>.part_<number>. SOURCES come in groups (poet_source_groups): tests give their little helpers the same names again
# and again. ARCHIVE: it is linked with what brings the archive along, and does without the shared library.
set(POET_TEST_SYMBOLS ${CMAKE_CURRENT_LIST_DIR}/test_program.ver)
function(poet_test_program name)
  cmake_parse_arguments(PARSE_ARGV 1 TEST "ARCHIVE" "PREFIX;LABEL;TIMEOUT;PARTS" "SOURCES;LIBRARIES")
  if(NOT TEST_PARTS)
    set(TEST_PARTS ${POET_TEST_PARTS})
  endif()
  poet_source_groups(${name} sources ${TEST_SOURCES})
  add_executable(${name} ${sources} $<TARGET_OBJECTS:poet_test_main>)
  target_link_libraries(${name} PRIVATE ${TEST_LIBRARIES} poet_test_frame)
  if(NOT TEST_ARCHIVE)
    target_link_libraries(${name} PRIVATE poet_for_tests)
  endif()
  target_precompile_headers(${name} REUSE_FROM poet_test_main)
  set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP)
  # A shared library calls a function of a template in the standard library where the loader finds it first, and that were a
  # test's, which is hardly optimised: Cbc makes hundreds of strings for each problem. Functions only, as data has one address.
  if(NOT POET_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,--version-script=${POET_TEST_SYMBOLS})
    set_target_properties(${name} PROPERTIES LINK_DEPENDS ${POET_TEST_SYMBOLS})
  endif()
  if(POET_SANITIZE OR POET_TESTS_IN_PARTS)
    poet_test_in_parts(${name} PREFIX ${TEST_PREFIX} LABEL ${TEST_LABEL} TIMEOUT ${TEST_TIMEOUT}
      PARTS ${TEST_PARTS})
    return()
  endif()
  gtest_discover_tests(${name} TEST_PREFIX ${TEST_PREFIX}. DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${TEST_LABEL} TIMEOUT ${TEST_TIMEOUT})
endfunction()
