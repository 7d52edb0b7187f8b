# A project in C that has mortise as a subdirectory, without the host.
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
file(WRITE ${WORK}/CMakeLists.txt "
cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES C)
set(MORTISE_BUILD_HOST OFF)
add_subdirectory([[${SOURCE}]] mortise)
mortise_add_plugin(in_c SOURCES in_c.c)
")
file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/in_c.c ${WORK}/in_c.c)
step(${CMAKE_COMMAND} -S ${WORK} -B ${WORK}/build -G Ninja)
step(${CMAKE_COMMAND} --build ${WORK}/build --target in_c)
expect_plugin(${WORK}/build/in_c.so)
