# Finds the libtorch inside a PyPI wheel (packaging/fetch-torch unpacks one) or a Python's site-packages.
#
# Set MORTISE_TORCH_ROOT, in CMake or the environment, to the folder that holds torch/ (and nvidia/ beside it). The wheel's
# own find_package(Torch) is not used: it demands an installed CUDA toolkit.
#
#   LibTorch::cpu   headers, libtorch_cpu and libc10
#   LibTorch::cuda  libtorch_cuda and libc10_cuda with CUDA's headers; only where the CUDA parts are there

set(MORTISE_TORCH_ROOT "$ENV{MORTISE_TORCH_ROOT}" CACHE PATH "Folder that holds torch/")
if(NOT MORTISE_TORCH_ROOT)
  if(DEFINED ENV{XDG_CACHE_HOME})
    set(cache $ENV{XDG_CACHE_HOME}/mortise)
  else()
    set(cache $ENV{HOME}/.cache/mortise)
  endif()
  set(places ${cache}/torch-2.11.0-cp311 ${cache}/torch-2.11.0-cp312)
endif()
find_path(LibTorch_INCLUDE_DIR torch/csrc/api/include/torch/torch.h
  PATHS ${MORTISE_TORCH_ROOT} ${places} PATH_SUFFIXES torch/include NO_DEFAULT_PATH NO_CACHE)
if(LibTorch_INCLUDE_DIR)
  get_filename_component(LibTorch_ROOT ${LibTorch_INCLUDE_DIR}/../.. ABSOLUTE)
  set(LibTorch_LIB ${LibTorch_ROOT}/torch/lib)
  file(STRINGS ${LibTorch_INCLUDE_DIR}/torch/headeronly/version.h lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH)")
  string(REGEX REPLACE "[^0-9;]" "" numbers "${lines}")
  list(JOIN numbers "." LibTorch_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch REQUIRED_VARS LibTorch_INCLUDE_DIR VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "run packaging/fetch-torch, or set MORTISE_TORCH_ROOT to the folder that holds torch/")

if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
  add_library(LibTorch::c10 SHARED IMPORTED)
  set_target_properties(LibTorch::c10 PROPERTIES IMPORTED_LOCATION ${LibTorch_LIB}/libc10.so)
  add_library(LibTorch::cpu SHARED IMPORTED)
  set_target_properties(LibTorch::cpu PROPERTIES
    IMPORTED_LOCATION ${LibTorch_LIB}/libtorch_cpu.so
    INTERFACE_LINK_LIBRARIES LibTorch::c10
    INTERFACE_INCLUDE_DIRECTORIES "${LibTorch_INCLUDE_DIR};${LibTorch_INCLUDE_DIR}/torch/csrc/api/include")

  # The CUDA parts: the wheel's libraries, and headers of NVIDIA's wheels or of a toolkit. The header that is searched is
  # the last one to arrive: an installed PyTorch has the runtime's headers without it, which cannot be compiled.
  find_path(LibTorch_CUDA_INCLUDE_DIR crt/host_defines.h
    HINTS ${LibTorch_ROOT}/nvidia/cu13/include $ENV{CUDA_HOME}/include /usr/local/cuda/include NO_DEFAULT_PATH NO_CACHE)
  if(EXISTS ${LibTorch_LIB}/libtorch_cuda.so AND LibTorch_CUDA_INCLUDE_DIR)
    add_library(LibTorch::c10_cuda SHARED IMPORTED)
    set_target_properties(LibTorch::c10_cuda PROPERTIES IMPORTED_LOCATION ${LibTorch_LIB}/libc10_cuda.so)
    add_library(LibTorch::cuda SHARED IMPORTED)
    set_target_properties(LibTorch::cuda PROPERTIES
      IMPORTED_LOCATION ${LibTorch_LIB}/libtorch_cuda.so
      INTERFACE_LINK_LIBRARIES "LibTorch::cpu;LibTorch::c10_cuda"
      INTERFACE_INCLUDE_DIRECTORIES ${LibTorch_CUDA_INCLUDE_DIR})
  endif()
endif()
