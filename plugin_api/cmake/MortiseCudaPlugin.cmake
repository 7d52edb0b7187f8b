# mortise_add_kernels(<plugin> SOURCES <file.cu>... [ARCHITECTURES <capability>...] [OPTIONS <option of nvcc>...])
#
# Compiles each file of kernels to a fat binary and gives it to the plugin as a header, noise.kernels.h for noise.cu:
#
#   static const unsigned char noise_kernels[];   // to be loaded with mortise.modules/1
#
# The plugin has no device code linked: the host loads the bytes and unloads them, and a kernel's name is the one that the
# code gives it (extern "C" leaves it as written). ARCHITECTURES are compute capabilities without the dot, the oldest first;
# newer devices than the last compile the code of the first when they load it. nvcc is found by CUDACXX, on the PATH or in
# /usr/local/cuda/bin; the project needs no CUDA language. A plugin that has kernels linked instead is a .cu file among the
# SOURCES of mortise_add_plugin().
function(mortise_add_kernels plugin)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;ARCHITECTURES;OPTIONS")
  if(NOT TARGET ${plugin} OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "mortise_add_kernels(${plugin}): needs a plugin's target, SOURCES and at most ARCHITECTURES and OPTIONS; "
      "got '${ARGN}'")
  endif()
  find_program(MORTISE_NVCC nvcc HINTS ENV CUDACXX PATHS /usr/local/cuda/bin REQUIRED DOC "The compiler of kernels")
  if(NOT arg_ARCHITECTURES)
    set(arg_ARCHITECTURES 75 80 90)
  endif()
  list(GET arg_ARCHITECTURES 0 oldest)
  set(codes -gencode arch=compute_${oldest},code=compute_${oldest})
  foreach(architecture IN LISTS arg_ARCHITECTURES)
    list(APPEND codes -gencode arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${plugin}_kernels)
  file(MAKE_DIRECTORY ${folder})
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(source ${source} ABSOLUTE)
    get_filename_component(name ${source} NAME_WE)
    string(MAKE_C_IDENTIFIER ${name}_kernels identifier)
    set(code ${folder}/${name}.fatbin)
    set(header ${folder}/${name}.kernels.h)
    add_custom_command(OUTPUT ${code} DEPFILE ${code}.d DEPENDS ${source} VERBATIM
      COMMAND ${MORTISE_NVCC} -fatbin ${codes} -O3 ${arg_OPTIONS} -MD -MF ${code}.d -MT ${code} -o ${code} ${source}
      COMMENT "Compiling the kernels of ${name}.cu")
    add_custom_command(OUTPUT ${header} DEPENDS ${code} VERBATIM
      COMMAND ${CMAKE_COMMAND} -DCODE=${code} -DHEADER=${header} -DIDENTIFIER=${identifier} -DSOURCE=${name}.cu
        -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
    target_sources(${plugin} PRIVATE ${header})
  endforeach()
  target_include_directories(${plugin} PRIVATE ${folder})
endfunction()

# Run as a script: writes bytes as a header.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  file(READ ${CODE} digits HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${digits}")
  string(REGEX REPLACE "(....................................................................................................)"
    "\\1\n" bytes "${bytes}")
  file(WRITE ${HEADER} "// The kernels of ${SOURCE}.\n#pragma once\n\nstatic const unsigned char ${IDENTIFIER}[] = {\n${bytes}\n};\n")
endif()
