# The package of the plugin interface: cmake --install <build> --component plugin_api
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mortise)
set_target_properties(mortise_plugin_api PROPERTIES EXPORT_NAME plugin_api)
set_target_properties(mortise_plugin_sdk PROPERTIES EXPORT_NAME plugin_sdk)
install(TARGETS mortise_plugin_api mortise_plugin_sdk EXPORT mortise_plugin_api
  FILE_SET HEADERS COMPONENT plugin_api DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT mortise_plugin_api FILE mortise-plugin-api.cmake NAMESPACE mortise::
  DESTINATION ${package_dir} COMPONENT plugin_api)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/mortise-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/mortise-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/mortise-config-version.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/mortise-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/mortise-config-version.cmake
  ${CMAKE_CURRENT_LIST_DIR}/MortisePlugin.cmake ${CMAKE_CURRENT_LIST_DIR}/MortiseCudaPlugin.cmake
  ${CMAKE_CURRENT_LIST_DIR}/MortiseRustPlugin.cmake ${CMAKE_CURRENT_LIST_DIR}/MortisePluginTest.cmake
  ${CMAKE_CURRENT_LIST_DIR}/plugin.map
  DESTINATION ${package_dir} COMPONENT plugin_api)
install(DIRECTORY ${CMAKE_CURRENT_LIST_DIR}/../rust/mortise DESTINATION ${package_dir}/rust COMPONENT plugin_api)

# The templates of `mortise new-plugin`, which looks for them beside itself: in the build folder they are the source's own.
set(plugin_templates ${CMAKE_CURRENT_LIST_DIR}/../templates)
install(DIRECTORY ${plugin_templates} DESTINATION ${CMAKE_INSTALL_DATADIR}/mortise COMPONENT plugin_api)
cmake_path(NORMAL_PATH plugin_templates)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/mortise)
file(CREATE_LINK ${plugin_templates} ${PROJECT_BINARY_DIR}/share/mortise/templates SYMBOLIC)

# pkg-config finds the rest from where its own file lies, so the tree can be moved.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_to_prefix /${pkgconfig_dir} /)
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/mortise-plugin.pc.in ${CMAKE_CURRENT_BINARY_DIR}/mortise-plugin.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/mortise-plugin.pc DESTINATION ${pkgconfig_dir} COMPONENT plugin_api)
