# Compiles a translation unit for each header alone, and plugins, which make the layers' macros and templates real:
# cmake -DCOMPILER=gcc -DSTANDARD=c11 -DINCLUDE=... -DWORK=... -DPLUGINS=a.cpp,b.cpp -P this.
#
# Sources are written to WORK, since a header that is compiled itself is warned about for its #pragma once.
cmake_minimum_required(VERSION 3.25)
set(pattern mortise/*.h)
set(language c)
if(STANDARD MATCHES "c\\+\\+")
  set(language c++)
endif()
if(LAYER STREQUAL "cpp")
  set(pattern mortise/cpp/*.hpp)
elseif(LAYER STREQUAL "c_layer")
  set(pattern mortise/c/*.h)
endif()
file(GLOB headers RELATIVE ${INCLUDE} ${INCLUDE}/${pattern}) # what is there, whether a list names it or not
if(NOT headers)
  message(FATAL_ERROR "no headers in ${INCLUDE}/${pattern}")
endif()
set(sources)
foreach(header IN LISTS headers)
  string(MAKE_C_IDENTIFIER ${header} name)
  file(CONFIGURE OUTPUT ${WORK}/${name}.src CONTENT "#include <@header@>\nint @name@_is_complete;\n" @ONLY)
  list(APPEND sources ${WORK}/${name}.src)
endforeach()
string(REPLACE "," ";" plugins "${PLUGINS}")
list(APPEND sources ${plugins})
execute_process(
  COMMAND ${COMPILER} -x ${language} -std=${STANDARD} -I${INCLUDE} -Wall -Wextra -pedantic -Werror -fsyntax-only ${sources}
  RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "a header does not stand alone as ${STANDARD}")
endif()
