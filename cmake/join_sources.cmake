# Compiles several sources of a folder as one, which from nothing takes about half the time: much of
# it goes into headers and templates that all of them use. Sources with macros are left alone.
#
# isochor_join_sources(RESULT SOURCES) is for sources with all their names in one `namespace {`, as
# tests are. In the joined source this namespace is named after folder and source, so that sources
# never see each other's names. Run as a script, this file writes one joined source.
#
# isochor_unite_sources(TARGET) is for sources that define functions of the library with the help of
# names in `namespace {`. Sources with the same name there are kept apart.

if(CMAKE_SCRIPT_MODE_FILE)
  string(REPLACE "," ";" SOURCES "${SOURCES}")
  set(joined "// Made by cmake/join_sources.cmake.\n")
  foreach(source IN LISTS SOURCES)
    file(READ ${source} text)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    cmake_path(GET source STEM name)
    string(REPLACE "\nnamespace {\n" "\nnamespace ${folder}_${name} {\n" text "${text}")
    string(APPEND joined "#line 1 \"${source}\"\n${text}")
  endforeach()
  file(WRITE ${OUTPUT} "${joined}")
  return()
endif()

set(ISOCHOR_JOIN_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(isochor_join_sources result sources)
  set(outcome)
  set(folders)
  foreach(source IN LISTS sources)
    # What is read here is read again when it changes.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} marks REGEX "^namespace {$|^#define")
    if(marks STREQUAL "namespace {")
      cmake_path(GET source PARENT_PATH folder)
      list(APPEND folders ${folder})
      list(APPEND "members_${folder}" ${source})
    else()
      list(APPEND outcome ${source})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    cmake_path(GET folder FILENAME name)
    list(LENGTH "members_${folder}" count)
    math(EXPR parts "(${count} + 9) / 10")
    math(EXPR size "(${count} + ${parts} - 1) / ${parts}")
    foreach(part RANGE 1 ${parts})
      math(EXPR first "(${part} - 1) * ${size}")
      list(SUBLIST "members_${folder}" ${first} ${size} members)
      list(JOIN members "," argument)
      set(output ${CMAKE_CURRENT_BINARY_DIR}/joined/${name}_${part}.cpp)
      add_custom_command(OUTPUT ${output} DEPENDS ${members} ${ISOCHOR_JOIN_SCRIPT} VERBATIM
        COMMAND ${CMAKE_COMMAND} -DSOURCES=${argument} -DOUTPUT=${output} -P ${ISOCHOR_JOIN_SCRIPT}
        COMMENT "Joining ${name}, part ${part} of ${parts}")
      list(APPEND outcome ${output})
    endforeach()
  endforeach()
  set(${result} ${outcome} PARENT_SCOPE)
endfunction()

# The names declared by lines of `namespace {`; sometimes one too many, which does no harm.
function(isochor_private_names result source)
  file(READ ${source} text)
  set(names)
  if(text MATCHES "\nnamespace {\n.*\n}  // namespace\n")
    string(REGEX REPLACE "[][;]" " " text "${CMAKE_MATCH_0}")
    string(REGEX MATCHALL "\n[A-Za-z][^({=\n]*[ *&][A-Za-z0-9_]+ *[({=]|, k[A-Z][A-Za-z0-9]* ="
      lines "${text}")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*[ *&]([A-Za-z0-9_]+) *[({=]$" "\\1" name "${line}")
      list(APPEND names ${name})
    endforeach()
  endif()
  set(${result} ${names} PARENT_SCOPE)
endfunction()

function(isochor_unite_sources target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^${CMAKE_SOURCE_DIR}/(src|reproduce|bench)/")
  foreach(source IN LISTS sources)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} macros REGEX "^#define")
    if(macros)
      continue()
    endif()
    isochor_private_names(names ${source})
    list(REMOVE_DUPLICATES names)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    # The first group of the folder with room for it.
    foreach(part RANGE 1 99)
      set(group ${folder}_${part})
      set(common ${names_${group}} ${names})
      list(LENGTH common total)
      list(REMOVE_DUPLICATES common)
      list(LENGTH common distinct)
      list(LENGTH members_${group} count)
      if(total EQUAL distinct AND count LESS 8)
        list(APPEND members_${group} ${source})
        list(APPEND names_${group} ${names})
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
        break()
      endif()
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # Names of one source may shadow those of another. Headers are seen by tests, too.
  target_compile_options(${target} PRIVATE -Wno-shadow)
  if(ISOCHOR_SANITIZE)
    target_compile_options(${target} PRIVATE -w)  # false alarms of GCC 12
  endif()
endfunction()
