# A program outside the source tree finds the installed package, builds, runs, and is what
# docs/guides/library.md shows. Variables: SOURCE, BUILD, GENERATOR, COMPILER.
set(work ${BUILD}/install-test)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nends with ${code}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/installed)
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE}/examples/library -B ${work}/built
    -DCMAKE_PREFIX_PATH=${work}/installed -DCMAKE_CXX_COMPILER=${COMPILER}
    "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror")
run(${CMAKE_COMMAND} --build ${work}/built)
run(${work}/built/soft_block)
message(STATUS "${output}")

# Balance of forces: holds carry the push to the side, and the weight of 8 kg.
if(NOT output MATCHES "frame 2\n.*bottom +pushes with +(-?[0-9.]+) +(-?[0-9.]+) .*top +pushes with +(-?[0-9.]+) +(-?[0-9.]+) ")
  message(FATAL_ERROR "unexpected output")
endif()
# In thousandths, as CMake counts in integers.
set(forces ${CMAKE_MATCH_1} ${CMAKE_MATCH_2} ${CMAKE_MATCH_3} ${CMAKE_MATCH_4})
list(TRANSFORM forces REPLACE "[.]" "")
list(TRANSFORM forces REPLACE "^(-?)0+([0-9])" "\\1\\2")
list(POP_FRONT forces bottom_x bottom_y top_x top_y)
math(EXPR sideways "${bottom_x} + ${top_x} + 4000")
math(EXPR upwards "${bottom_y} + ${top_y} - 78480")
foreach(rest ${sideways} ${upwards})
  if(rest LESS -3 OR rest GREATER 3)
    message(FATAL_ERROR "forces do not balance: ${sideways}, ${upwards} mN are left")
  endif()
endforeach()

file(READ ${SOURCE}/docs/guides/library.md page)
foreach(name main.cpp CMakeLists.txt)
  file(READ ${SOURCE}/examples/library/${name} text)
  string(FIND "${page}" "\n${text}```" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "docs/guides/library.md does not show examples/library/${name} as it is")
  endif()
endforeach()
file(REMOVE_RECURSE ${work})
