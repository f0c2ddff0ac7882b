#pragma once

#include <string_view>

namespace isochor::run {

/// The style of all pages, and the script of those with a viewer: the files of viewer/, put into
/// the program when it is built (cmake/embed_viewer.cmake).
std::string_view page_style();
std::string_view page_script();

}  // namespace isochor::run
