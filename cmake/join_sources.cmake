# isochor_join_sources(RESULT SOURCES) makes a few sources of many, each of up to ten of one folder.
# They compile in a third of the time, most of which goes into headers and templates that all use.
#
# Every source must have all its names in one `namespace {`. In the joined source this namespace is
# named after the source, so that sources never see each other's names.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(ISOCHOR_JOIN_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
  function(isochor_join_sources result sources)
    set(folders)
    foreach(source IN LISTS sources)
      cmake_path(GET source PARENT_PATH folder)
      list(APPEND folders ${folder})
      list(APPEND "sources_${folder}" ${source})
    endforeach()
    list(REMOVE_DUPLICATES folders)
    set(joined)
    foreach(folder IN LISTS folders)
      list(LENGTH "sources_${folder}" count)
      math(EXPR parts "(${count} + 9) / 10")
      math(EXPR size "(${count} + ${parts} - 1) / ${parts}")
      cmake_path(GET folder FILENAME name)
      foreach(part RANGE 1 ${parts})
        math(EXPR first "(${part} - 1) * ${size}")
        list(SUBLIST "sources_${folder}" ${first} ${size} members)
        set(output ${CMAKE_CURRENT_BINARY_DIR}/joined/${name}_${part}.cpp)
        list(JOIN members "," argument)
        add_custom_command(OUTPUT ${output} DEPENDS ${members} ${ISOCHOR_JOIN_SCRIPT} VERBATIM
          COMMAND ${CMAKE_COMMAND} -DSOURCES=${argument} -DOUTPUT=${output}
                  -P ${ISOCHOR_JOIN_SCRIPT}
          COMMENT "Joining sources: ${name}, ${part} of ${parts}")
        list(APPEND joined ${output})
      endforeach()
    endforeach()
    set(${result} ${joined} PARENT_SCOPE)
  endfunction()
  return()
endif()

string(REPLACE "," ";" SOURCES "${SOURCES}")
set(joined "// Made by cmake/join_sources.cmake.\n")
foreach(source IN LISTS SOURCES)
  file(READ ${source} text)
  cmake_path(GET source STEM name)
  string(REPLACE "\nnamespace {\n" "\nnamespace ${name} {\n" text "${text}")
  string(APPEND joined "#line 1 \"${source}\"\n${text}")
endforeach()
file(WRITE ${OUTPUT} "${joined}")
