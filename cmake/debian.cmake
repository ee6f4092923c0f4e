# Two packages for Debian 12, by `cpack -G DEB`: poet, and libpoet-dev for programs in C++. What the program depends on is
# read from what it is linked with; the library needs what it is compiled against, of which scripts/install-packages has
# the list.

if(POET_AS_DEBIAN)
  # Licences and logs of changes in the form that Debian's policy gives them.
  set(poet_debian ${PROJECT_BINARY_DIR}/debian)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C date --utc --rfc-email --date ${POET_RELEASE_DATE}
    OUTPUT_VARIABLE POET_RELEASE_DAY OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  configure_file(packaging/changelog.in ${poet_debian}/changelog.Debian @ONLY)
  file(COPY_FILE packaging/copyright ${poet_debian}/copyright ONLY_IF_DIFFERENT)
  file(COPY_FILE CHANGELOG.md ${poet_debian}/changelog ONLY_IF_DIFFERENT)
  foreach(log IN ITEMS changelog changelog.Debian)
    execute_process(COMMAND gzip -9nc ${poet_debian}/${log} OUTPUT_FILE ${poet_debian}/${log}.gz COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  foreach(row IN ITEMS "program;poet" "development;libpoet-dev")
    list(GET row 0 component)
    list(GET row 1 package)
    install(FILES ${poet_debian}/copyright ${poet_debian}/changelog.gz ${poet_debian}/changelog.Debian.gz
      DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  endforeach()
  install(DIRECTORY examples/cpp DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libpoet-dev/examples COMPONENT development)
endif()

execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/install-packages --names linked
  OUTPUT_VARIABLE poet_linked OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ", " poet_linked "${poet_linked}")

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
# There is no address to write to.
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "POET developers <poet@localhost>")
set(CPACK_PACKAGE_VENDOR "POET developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "plan the training of neural networks in little memory")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME poet)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS
  "graphviz, make, gcc-arm-none-eabi, libnewlib-arm-none-eabi, qemu-system-arm")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
"POET says what to compute again and what to move to storage, so that a neural
network can be trained in the memory that a device has, with the least energy
and with a proof of how good the plan is. It has networks and devices, reads
ONNX files, trains within the plan, and writes projects in C for
microcontrollers. As a service it answers over HTTP and shows a page; the unit
of systemd is installed and not enabled.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libpoet-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "g++, pkg-config, ${poet_linked}")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"POET says what to compute again and what to move to storage, so that a neural
network can be trained in the memory that a device has. This package has the
static library, its header <poet/poet.h> and what CMake reads to find it.")
include(CPack)
