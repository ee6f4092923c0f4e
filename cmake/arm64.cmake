# 64-bit Arm Linux (Raspberry Pi and its kind), built with Debian's cross compiler against the libraries that
# scripts/arm64-sysroot unpacked; programs run under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(POET_ARM64_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/arm64-sysroot CACHE PATH "What scripts/arm64-sysroot made")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES POET_ARM64_SYSROOT)
cmake_path(ABSOLUTE_PATH POET_ARM64_SYSROOT NORMALIZE OUTPUT_VARIABLE poet_sysroot)
if(NOT EXISTS ${poet_sysroot}/packages)
  message(FATAL_ERROR "${poet_sysroot} is not there: run scripts/arm64-sysroot first")
endif()
set(CMAKE_SYSROOT ${poet_sysroot})

# Libraries and headers of the target, programs (protoc, Python) of this machine.
set(CMAKE_FIND_ROOT_PATH ${poet_sysroot})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${poet_sysroot})
set(ENV{PKG_CONFIG_LIBDIR} ${poet_sysroot}/usr/lib/aarch64-linux-gnu/pkgconfig:${poet_sysroot}/usr/share/pkgconfig)

set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;${poet_sysroot}")
