# A room is a folder under poet/. Its objects join the one archive, `poet`, and its tests form one program,
# <name>_test. Rooms are added in reading order and may use only rooms added before them, so data can flow one way
# only. What a room declares is also written to rooms.txt, from which a test checks every include.
#
# Sources are compiled a few at a time (CMAKE_UNITY_BUILD, in the presets): what is in unnamed namespaces has to have
# names that no other source of the room uses, or its source is named under ALONE. Where many do not, SOURCES come in groups
# (poet_source_groups), each begun by an APART. How many are compiled at once differs from build to build, so sources of a
# group have to go together in any number.
#
# What most sources read of the standard library and of text formatting is parsed once, in poet_precompiled, and
# shared by all rooms: parsing was over half of every compilation (CONTRIBUTING.md, "What checking costs"). Sources go on
# to include what they use.
#
# A COLD room reads and writes text and files around what others calculate, once a question. It is compiled with
# POET_COLD_FLAGS after all others, and shares a precompiled header of its own, which serves one set of flags.
# A WARM room is run as often, and does more: networks are read, made and costed in it. It is compiled with POET_WARM_FLAGS,
# of which there are none but under sanitizers, where optimising would take longer than what its code runs.
#
# Tests that take longer than several processes take to start say in how many PARTS they run (cmake/test_program.cmake).
include(${CMAKE_CURRENT_LIST_DIR}/source_groups.cmake)

set(POET_COLD_FLAGS -O1 CACHE STRING "More compiler flags for what is run once a question, for example -O0")
set(POET_WARM_FLAGS "" CACHE STRING "More compiler flags for what reads, makes and costs networks, for example -O0")
separate_arguments(POET_COLD_FLAGS UNIX_COMMAND "${POET_COLD_FLAGS}")
separate_arguments(POET_WARM_FLAGS UNIX_COMMAND "${POET_WARM_FLAGS}")

function(poet_precompile target)
  add_library(${target} OBJECT ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/precompiled.cc)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_options(${target} PRIVATE -fno-semantic-interposition ${ARGN})
  target_link_libraries(${target} PRIVATE fmt::fmt poet_warnings)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <bit> <cmath> <cstddef> <cstdint> <cstring> <functional> <limits> <map> <memory>
    <numeric> <optional> <set> <span> <string> <string_view> <utility> <variant> <vector>
    <fmt/core.h> <fmt/format.h>)
endfunction()
poet_precompile(poet_precompiled)
poet_precompile(poet_precompiled_cold ${POET_COLD_FLAGS})
# Where two have the same flags, they have the same header.
set(poet_precompiled_warm poet_precompiled_warm)
if("${POET_WARM_FLAGS}" STREQUAL "")
  set(poet_precompiled_warm poet_precompiled)
elseif("${POET_WARM_FLAGS}" STREQUAL "${POET_COLD_FLAGS}")
  set(poet_precompiled_warm poet_precompiled_cold)
else()
  poet_precompile(poet_precompiled_warm ${POET_WARM_FLAGS})
endif()

set(POET_ROOMS_FILE ${PROJECT_BINARY_DIR}/rooms.txt)
file(WRITE ${POET_ROOMS_FILE} "")

# What the archive is linked with. Programs that use the installed one link to the same and see none of its headers. What
# is only headers (nlohmann_json) is the business of the room that includes it.
set(POET_ONLY_HEADERS nlohmann_json::nlohmann_json)
function(poet_archive_needs)
  set(linked ${ARGN})
  list(REMOVE_ITEM linked ${POET_ONLY_HEADERS})
  foreach(library IN LISTS linked)
    target_link_libraries(poet PUBLIC $<BUILD_INTERFACE:${library}>)
    if(TARGET poet_for_tests)
      target_link_libraries(poet_for_tests PUBLIC ${library})
    endif()
    get_property(listed GLOBAL PROPERTY poet_archive_needs)
    if(NOT library IN_LIST listed)
      set_property(GLOBAL APPEND PROPERTY poet_archive_needs ${library})
      target_link_libraries(poet PUBLIC $<INSTALL_INTERFACE:$<LINK_ONLY:${library}>>)
    endif()
  endforeach()
endfunction()

function(poet_room name)
  cmake_parse_arguments(PARSE_ARGV 1 ROOM "COLD;WARM" "PARTS" "SOURCES;ALONE;TESTS;USES;LIBRARIES")
  if(ROOM_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "poet_room(${name}): unknown ${ROOM_UNPARSED_ARGUMENTS}")
  endif()

  poet_source_groups(poet_${name} ROOM_SOURCES ${ROOM_SOURCES})
  add_library(poet_${name} OBJECT ${ROOM_SOURCES} ${ROOM_ALONE})
  set_target_properties(poet_${name} PROPERTIES UNITY_BUILD_MODE GROUP)
  set_source_files_properties(${ROOM_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_compile_features(poet_${name} PUBLIC c_std_99 cxx_std_20)
  # The Python module is a shared library made of the same objects; nobody replaces functions in it, so calls within a
  # source need no detour.
  set_target_properties(poet_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(poet_${name} PRIVATE -fno-semantic-interposition)
  target_include_directories(poet_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(poet_${name} PUBLIC fmt::fmt PRIVATE poet_warnings ${ROOM_LIBRARIES})
  # A precompiled header serves one set of flags: what needs OpenMP's goes without, and so does C.
  if(ROOM_SOURCES MATCHES "[.]cc(;|$)" AND NOT ROOM_LIBRARIES MATCHES "OpenMP")
    set(precompiled poet_precompiled)
    if(ROOM_COLD)
      set(precompiled poet_precompiled_cold)
      target_compile_options(poet_${name} PRIVATE ${POET_COLD_FLAGS})
    elseif(ROOM_WARM)
      set(precompiled ${poet_precompiled_warm})
      target_compile_options(poet_${name} PRIVATE ${POET_WARM_FLAGS})
    endif()
    target_precompile_headers(poet_${name} REUSE_FROM ${precompiled})
    target_compile_options(poet_${name} PRIVATE ${POET_FALSE_ALARMS})
  endif()
  foreach(used IN LISTS ROOM_USES)
    if(NOT TARGET poet_${used})
      message(FATAL_ERROR "room '${name}' uses '${used}', which is not before it")
    endif()
    target_link_libraries(poet_${name} PUBLIC poet_${used})
  endforeach()
  target_sources(poet PRIVATE $<TARGET_OBJECTS:poet_${name}>)
  if(TARGET poet_for_tests)
    target_sources(poet_for_tests PRIVATE $<TARGET_OBJECTS:poet_${name}>)
  endif()
  poet_archive_needs(fmt::fmt ${ROOM_LIBRARIES})
  file(APPEND ${POET_ROOMS_FILE} "${name}: ${ROOM_USES}\n")

  if(POET_BUILD_TESTS AND ROOM_TESTS)
    if(NOT ROOM_PARTS)
      set(ROOM_PARTS 1)
    endif()
    poet_test_program(${name}_test PREFIX ${name} LABEL ${name} TIMEOUT 300 PARTS ${ROOM_PARTS} SOURCES ${ROOM_TESTS})
  endif()
endfunction()
