# mortise_add_rust_plugin(<name> SOURCES <file>...)
#
# Builds <name>.so from Rust with plain rustc, 1.63 or newer; no cargo and no language of CMake's. The first source is the
# crate's root. The library exports the entry function and the note and nothing else: rustc writes the map of symbols itself.
# It lands where mortise_add_plugin() puts others. The Rust layer is compiled once in the build folder, since its form is the
# compiler's own.
function(mortise_add_rust_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "mortise_add_rust_plugin(${name}): needs SOURCES and nothing else; got '${ARGN}'")
  endif()
  _mortise_rust_layer(layer flags)
  set(output ${CMAKE_CURRENT_BINARY_DIR})
  if(DEFINED MORTISE_PLUGIN_OUTPUT_DIRECTORY)
    set(output ${MORTISE_PLUGIN_OUTPUT_DIRECTORY})
  elseif(DEFINED CMAKE_LIBRARY_OUTPUT_DIRECTORY)
    set(output ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
  endif()
  file(MAKE_DIRECTORY ${output})
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  list(GET arg_SOURCES 0 root)
  string(MAKE_C_IDENTIFIER ${name} crate)
  add_custom_command(OUTPUT ${output}/${name}.so
    COMMAND ${MORTISE_RUSTC} ${flags} --crate-type cdylib --crate-name ${crate} --extern mortise=${layer}
      -C link-arg=-Wl,-z,defs -C link-arg=-Wl,-z,now -o ${output}/${name}.so ${root}
    DEPENDS ${arg_SOURCES} ${layer} VERBATIM COMMENT "Building Rust plugin ${name}")
  add_custom_target(${name} ALL DEPENDS ${output}/${name}.so)
  set_property(TARGET ${name} PROPERTY MORTISE_PLUGIN_FILE ${output}/${name}.so)
  add_dependencies(${name} mortise_rust_layer)
endfunction()

# Sets `layer` to the compiled layer and `flags` to what every call of rustc needs.
function(_mortise_rust_layer layer flags)
  find_program(MORTISE_RUSTC rustc REQUIRED DOC "The Rust compiler")
  set(debug $<CONFIG:Debug>)
  set(${flags} --edition 2021 $<IF:${debug},-g,-O> -C $<IF:${debug},debug-assertions=on,strip=debuginfo> PARENT_SCOPE)
  set(compiled ${CMAKE_BINARY_DIR}/mortise_rust_layer/libmortise.rlib)
  set(${layer} ${compiled} PARENT_SCOPE)
  if(TARGET mortise_rust_layer)
    return()
  endif()
  # Beside this file where it is installed, one folder up in the source tree.
  set(source ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/rust/mortise)
  if(NOT EXISTS ${source}/lib.rs)
    set(source ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../rust/mortise)
  endif()
  file(STRINGS ${source}/lib.rs files REGEX "^(pub )?mod [a-z_]+;")
  list(TRANSFORM files REPLACE "^(pub )?mod ([a-z_]+);" "${source}/\\2.rs")
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/mortise_rust_layer)
  add_custom_command(OUTPUT ${compiled}
    COMMAND ${MORTISE_RUSTC} --edition 2021 $<IF:${debug},-g,-O> --crate-type rlib --crate-name mortise -o ${compiled}
      ${source}/lib.rs
    DEPENDS ${source}/lib.rs ${files} VERBATIM COMMENT "Building the Rust layer of mortise")
  add_custom_target(mortise_rust_layer DEPENDS ${compiled})
endfunction()
