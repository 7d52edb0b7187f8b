# mortise_add_test(<name> SOURCES <file>... [LABELS <label>...] [DEPS <target>...] [ENVIRONMENT <VAR=value>...])
#
# One GoogleTest program; each of its tests is a ctest of its own. The default label is unit. Sources are relative to the
# calling folder. tests/registration_test.py fails for a *_test.cpp that no call names.
include(GoogleTest)
function(mortise_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LABELS;DEPS;ENVIRONMENT")
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE
    MORTISE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" MORTISE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${arg_LABELS}" ENVIRONMENT "${arg_ENVIRONMENT}" TIMEOUT 300)
endfunction()
