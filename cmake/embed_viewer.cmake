# Puts the modules and styles of viewer/ into one C++ source, so that a report carries them and the
# program needs no file beside it. Run as: cmake -DVIEWER=DIR -DOUTPUT=FILE -P embed_viewer.cmake
#
# The modules become one: each after those that it imports, without the lines that say so. Names at
# the top level are therefore unique over all of them; a browser refuses the page otherwise.

cmake_minimum_required(VERSION 3.25)

function(add_module name)
  get_property(known GLOBAL PROPERTY viewer_modules)
  if(name IN_LIST known)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY viewer_modules ${name})
  file(READ ${VIEWER}/${name} text)
  string(REGEX MATCHALL "from '\\./[a-z_]+\\.js'" imports "${text}")
  foreach(import IN LISTS imports)
    string(REGEX REPLACE "from '\\./([a-z_]+\\.js)'" "\\1" import "${import}")
    add_module(${import})
  endforeach()
  string(REGEX REPLACE "import {[^}]*}[ \n]*from '[^']*';\n" "" text "${text}")
  string(REGEX REPLACE "\nexport " "\n" text "${text}")
  set_property(GLOBAL APPEND_STRING PROPERTY viewer_script "// ---- ${name}\n${text}\n")
endfunction()

add_module(main.js)
get_property(script GLOBAL PROPERTY viewer_script)
file(READ ${VIEWER}/page.css page_style)
file(READ ${VIEWER}/viewer.css viewer_style)

file(WRITE ${OUTPUT} "// Made by cmake/embed_viewer.cmake from viewer/.
#include \"isochor/run/viewer_assets.h\"

namespace isochor::run {

std::string_view page_style() {
  return R\"isochor(\n${page_style}${viewer_style})isochor\";
}

std::string_view page_script() {
  return R\"isochor(\n${script})isochor\";
}

}  // namespace isochor::run
")
