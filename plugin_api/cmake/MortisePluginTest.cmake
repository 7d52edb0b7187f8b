# mortise_add_plugin_test(<plugin> [OPTIONS <option>...])
#
# Tests of a plugin that mortise_add_plugin() or mortise_add_rust_plugin() builds, with the program mortise from PATH or
# -DMORTISE_PROGRAM=...: that it can be described, and that it trains for a moment. OPTIONS are the plugin's own, such as
# --my_plugin.every 2. The data are Fashion-MNIST's, or what -DMORTISE_TEST_DATA=mnist:FOLDER names. The target's name is the
# plugin's id.
function(mortise_add_plugin_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
  if(NOT TARGET ${name} OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "mortise_add_plugin_test(${name}): needs the target of a plugin and OPTIONS at most; got '${ARGN}'")
  endif()
  find_program(MORTISE_PROGRAM mortise DOC "The program that tests of plugins run")
  if(NOT MORTISE_PROGRAM)
    message(WARNING "no tests of ${name}: the program mortise is not in PATH; -DMORTISE_PROGRAM=... names it")
    return()
  endif()
  set(MORTISE_TEST_DATA fashion-mnist CACHE STRING "What tests of plugins train on, as in --data")
  set(file $<TARGET_FILE:${name}>)
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "UTILITY") # Rust's
    get_target_property(file ${name} MORTISE_PLUGIN_FILE)
  endif()
  set(folder $<PATH:GET_PARENT_PATH,${file}>)
  add_test(NAME ${name}.is_described COMMAND ${MORTISE_PROGRAM} plugins ${name} --plugin-dir ${folder})
  add_test(NAME ${name}.trains COMMAND ${MORTISE_PROGRAM} fit --plugin-dir ${folder} --plugins ${name} ${arg_OPTIONS}
    --data ${MORTISE_TEST_DATA} --val-size 16 --batch-size 8 --model mlp --accelerator cpu --max-epochs 2
    --limit-train-batches 4 --limit-val-batches 2 --default-root-dir ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties(${name}.is_described ${name}.trains PROPERTIES TIMEOUT 300)
endfunction()
