# mortise_add_plugin(<name> SOURCES <file>...)
#
# Builds <name>.so, a plugin that the host can unload again: hidden symbols, the entry function and the note as the only
# exports, no undefined symbols, no unique symbols (they would pin the library), no libstdc++ of its own. The plugin lands
# in MORTISE_PLUGIN_OUTPUT_DIRECTORY, or where CMake puts libraries if that is not set. C++ sources see the C++ layer and
# are compiled as C++20. So are .cu files, in a project whose languages are CXX and CUDA; their kernels are linked into the
# plugin, which has to say so with MORTISE_PLUGIN_LINKS_CUDA, and share the host's CUDA runtime.
function(mortise_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "mortise_add_plugin(${name}): needs SOURCES and nothing else; got '${ARGN}'")
  endif()
  set(CMAKE_C_VISIBILITY_PRESET hidden)
  set(CMAKE_CXX_VISIBILITY_PRESET hidden)
  set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
  set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE mortise::plugin_api)
  if(CMAKE_CXX_COMPILE_FEATURES)  # the calling project uses C++
    target_link_libraries(${name} PRIVATE mortise::plugin_sdk)
  endif()
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  if(CMAKE_CUDA_COMPILER)
    set_target_properties(${name} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
    # Not by CUDA_STANDARD: CMake learnt only after 3.25 that nvcc knows C++20.
    set(gnu $<NOT:$<BOOL:$<FILTER:${CMAKE_CUDA_HOST_COMPILER},INCLUDE,clang>>>)
    target_compile_options(${name} PRIVATE
      $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 $<${gnu}:-Xcompiler=-fno-gnu-unique>>)
  endif()
  set(map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin.map)
  target_link_options(${name} PRIVATE
    -Wl,--version-script=${map} -Wl,-z,defs -Wl,-z,now -Wl,-Bsymbolic-functions)
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${map})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so")
  if(DEFINED MORTISE_PLUGIN_OUTPUT_DIRECTORY)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${MORTISE_PLUGIN_OUTPUT_DIRECTORY})
  endif()
endfunction()
