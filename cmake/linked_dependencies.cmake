# The dependencies that are linked, not only included: by our build, and by every program that uses the installed library
# (find_package(poet) reads this file as well). Who includes it says what poet_find() and
# poet_find_modules() are, and sets POET_ONEDNN.
# docs/decisions/0001-dependencies.md has the reasons.
poet_find(Threads)

# Text formatting; std::format is not in g++ 12.
poet_find(fmt 9.1)
# TOML with line numbers: device files. Touched by poet/device/device_file.cc.
poet_find(tomlplusplus 3.3)

poet_find(PkgConfig)
# Linear programs (Clp) and integer programs (Cbc), the default backend. Touched by poet/solve/*_backend.cc.
poet_find_modules(CBC cbc osi-clp clp cgl osi coinutils)

# Exact rational numbers, for proofs. Touched by poet/exact/number.h.
poet_find_modules(GMPXX gmpxx>=6.2)

# Points of sweeps that outlive a run. Touched by poet/store.
poet_find(SQLite3 3.40)

# Pages of a plan to and from a disk: several pieces under way together. Touched by poet/disk/kernel_ring.cc.
poet_find_modules(URING liburing>=2.3)
# Checksums of those pages. Touched by poet/disk/checksum.cc.
poet_find_modules(XXHASH libxxhash>=0.8)

# Hashes of contents: checkpoints, plans that are kept. Touched by poet/base/sha256.cc.
poet_find(OpenSSL 3.0 COMPONENTS Crypto)

# Regular expressions of users, in linear time. Touched by poet/base/regular_expression.cc.
poet_find_modules(RE2 re2)
# Its -pthread says nothing to the compiler here, and precompiled headers serve one set of flags.
if(TARGET PkgConfig::RE2)
  set_target_properties(PkgConfig::RE2 PROPERTIES INTERFACE_COMPILE_OPTIONS "")
endif()

# Regular expressions of tokenizers, which look ahead. Touched by poet/text/pattern.cc.
poet_find_modules(PCRE2 libpcre2-8>=10.40)
# Normal forms and classes of characters. Touched by poet/text/unicode_text.cc.
poet_find_modules(UTF8PROC libutf8proc>=2.6)
# Its definition is for other systems' libraries, and precompiled headers serve one set of flags.
if(TARGET PkgConfig::UTF8PROC)
  set_target_properties(PkgConfig::UTF8PROC PROPERTIES INTERFACE_COMPILE_OPTIONS "")
endif()

# Pictures. Touched by poet/data/picture_file.cc.
poet_find_modules(TURBOJPEG libturbojpeg>=2.1)
poet_find_modules(PNG libpng>=1.6.37)

# Data that are packed: gzip, and the entries of NPZ archives. Touched by poet/data/unpack*.
poet_find(ZLIB 1.2.13)

# The service over HTTP. Touched by poet/service/http_server*.
poet_find_modules(HTTPLIB cpp-httplib>=0.11.4)
# Projects of C as one file to download. Touched by poet/service/zip_archive.cc.
poet_find_modules(LIBZIP libzip>=1.7.3)

# Models in and out: the messages of ONNX, and protobuf, which they are made with. Touched by poet/model/onnx_file*.
poet_find(Protobuf 3.21)
poet_find(ONNX 1.12)

# Threads of kernels: oneDNN's own, so that there is one kind. Touched by poet/kernels/threads.cc.
poet_find(OpenMP 4.5 COMPONENTS CXX)
# Fast kernels on the host. Touched by poet/onednn.
if(POET_ONEDNN AND NOT TARGET poet::dnnl)
  # Not by its own CMake file, which asks for OpenCL's headers.
  find_path(DNNL_INCLUDE_FOLDER dnnl.hpp)
  find_library(DNNL_LIBRARY dnnl)
  if(DNNL_INCLUDE_FOLDER AND DNNL_LIBRARY)
    file(STRINGS ${DNNL_INCLUDE_FOLDER}/oneapi/dnnl/dnnl_version.h DNNL_MAJOR REGEX "define DNNL_VERSION_MAJOR")
    string(REGEX MATCH "[0-9]+$" DNNL_MAJOR "${DNNL_MAJOR}")
  endif()
  if(DNNL_MAJOR EQUAL 2)
    set(POET_HAS_ONEDNN ON)
    add_library(poet::dnnl INTERFACE IMPORTED)
    target_include_directories(poet::dnnl SYSTEM INTERFACE ${DNNL_INCLUDE_FOLDER})
    target_link_libraries(poet::dnnl INTERFACE ${DNNL_LIBRARY})
  endif()
endif()
