# What `cmake --install` leaves: the program, the static library with its package for
# find_package(isochor), the public headers, the licence.
include(CMakePackageConfigHelpers)

set(ISOCHOR_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/isochor)

install(TARGETS isochor_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS isochor EXPORT isochorTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT isochorTargets NAMESPACE isochor:: DESTINATION ${ISOCHOR_PACKAGE_DIR})

# Only the files directly in src/isochor are public; folders below it are private.
file(GLOB ISOCHOR_PUBLIC_HEADERS CONFIGURE_DEPENDS src/isochor/*.h)
install(FILES ${ISOCHOR_PUBLIC_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/isochor)
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# A static library passes on all that it links, header-only packages included: their targets must
# exist where the library is used.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/isochorConfig.cmake @ONLY CONTENT [=[
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(fmt)
find_dependency(tomlplusplus)
find_dependency(embree 3)
find_dependency(ZLIB)
include("${CMAKE_CURRENT_LIST_DIR}/isochorTargets.cmake")
]=])
write_basic_package_version_file(${CMAKE_BINARY_DIR}/isochorConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/isochorConfig.cmake ${CMAKE_BINARY_DIR}/isochorConfigVersion.cmake
  DESTINATION ${ISOCHOR_PACKAGE_DIR})
