# Two plugins with one kernel: as bytes, in a project of C alone, and linked by nvcc.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
install_package(${WORK}/installed)
file(WRITE ${WORK}/twice.cu "extern \"C\" __global__ void twice(float* value) { *value *= 2; }\n")
file(READ ${CMAKE_CURRENT_LIST_DIR}/in_c.c in_c)
file(WRITE ${WORK}/as_bytes.c "#include \"twice.kernels.h\"
typedef char there_is_some[sizeof(twice_kernels) > 100 ? 1 : -1];
const unsigned char* twice_code(void) { return twice_kernels; }
${in_c}")
file(WRITE ${WORK}/linked.cu "#include <mortise/cpp/plugin.hpp>
__global__ void twice(float* value) { *value *= 2; }
struct Linked : mortise::Callback {
  void on_fit_start() { twice<<<1, 1>>>(nullptr); }
};
MORTISE_PLUGIN(Linked, \"linked\", \"1.0.0\", \"Doubles\", MORTISE_PLUGIN_LINKS_CUDA)
")
file(WRITE ${WORK}/CMakeLists.txt "
cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES C)
find_package(mortise REQUIRED)
mortise_add_plugin(as_bytes SOURCES as_bytes.c)
mortise_add_kernels(as_bytes SOURCES twice.cu)
enable_language(CXX)
enable_language(CUDA)
mortise_add_plugin(linked SOURCES linked.cu)
")
set(ENV{CUDACXX} ${NVCC})
step(${CMAKE_COMMAND} -S ${WORK} -B ${WORK}/build -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/installed)
step(${CMAKE_COMMAND} --build ${WORK}/build)
expect_plugin(${WORK}/build/as_bytes.so)
expect_plugin(${WORK}/build/linked.so)

# A change of the kernel reaches the plugin.
file(SHA256 ${WORK}/build/as_bytes_kernels/twice.kernels.h before)
file(APPEND ${WORK}/twice.cu "extern \"C\" __global__ void thrice(float* value) { *value *= 3; }\n")
step(${CMAKE_COMMAND} --build ${WORK}/build)
file(SHA256 ${WORK}/build/as_bytes_kernels/twice.kernels.h after)
if(before STREQUAL after)
  message(FATAL_ERROR "the changed kernel was not compiled again")
endif()
