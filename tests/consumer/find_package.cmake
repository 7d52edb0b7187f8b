include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
install_package(${WORK}/installed)
step(${CMAKE_COMMAND} -S ${SOURCE}/examples/my_first_callback -B ${WORK}/build -G Ninja
  -DCMAKE_PREFIX_PATH=${WORK}/installed -DCMAKE_CXX_COMPILER=${CXX})
step(${CMAKE_COMMAND} --build ${WORK}/build)
expect_plugin(${WORK}/build/my_first_callback.so)
