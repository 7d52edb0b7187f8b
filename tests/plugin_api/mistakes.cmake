# Mistakes that the C++ layer turns into errors of the compiler: cmake -DCOMPILER=... -DINCLUDE=... -DWORK=... -P this.
cmake_minimum_required(VERSION 3.25)

# Compiles a class body with a plugin line; sets `output`, empty if it compiled.
function(try_plugin body line)
  file(WRITE ${WORK}/plugin.cpp
    "#include <mortise/cpp/plugin.hpp>\nclass P : public mortise::Callback {\n${body}\n};\n${line}\n")
  execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${INCLUDE} ${WORK}/plugin.cpp
    RESULT_VARIABLE failed ERROR_VARIABLE text)
  if(failed)
    set(output "${text}" PARENT_SCOPE)
  else()
    set(output "" PARENT_SCOPE)
  endif()
endfunction()

# Shows that the frame itself is right.
set(good_line "MORTISE_PLUGIN(P, \"p\", \"1.0.0\", \"summary\")")
try_plugin("public: void on_train_start(const mortise::Event&) { log().info(\"{}\", 1); }" "${good_line}")
if(output)
  message(FATAL_ERROR "a good plugin does not compile:\n${output}")
endif()

function(expect_refused body line wanted)
  try_plugin("${body}" "${line}")
  if(NOT output MATCHES "${wanted}")
    message(SEND_ERROR "expected an error with '${wanted}' for\n${body}\n${line}\ngot:\n${output}")
  endif()
endfunction()

expect_refused("void on_train_start() {}" "${good_line}" "on_train_start has to be public")
expect_refused("public: void on_train_start(int) {}" "${good_line}" "on_train_start has to be public")
expect_refused("public: void state_save() {}" "${good_line}" "state_save has to be public")
expect_refused("public: void on_train_start() { log().info(\"{} {}\", 1); }" "${good_line}" "wrong_number_of_arguments")
expect_refused("public: void on_train_start() { log().info(\"{:x}\", 1); }" "${good_line}" "unknown_placeholder")
expect_refused("" "MORTISE_PLUGIN(P, \"My-Plugin\", \"1.0.0\", \"summary\")" "id_may_hold_only_lower_case")
string(REPEAT "1" 32 long)
expect_refused("" "MORTISE_PLUGIN(P, \"p\", \"${long}\", \"summary\")" "text_is_too_long_for_the_note")
