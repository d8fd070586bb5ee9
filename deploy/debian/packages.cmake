# The Debian packages, made by CPack: fairlead, fairlead-controlplane, fairlead-agent.  Their parts are the components
# of the install rules.  CPack finds the libraries that the linker needs; a library opened by name is listed here.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGE_VENDOR "Fairlead")
set(CPACK_PACKAGE_CONTACT "Fairlead maintainers <fairlead@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES TRUE)
set(CPACK_DEB_COMPONENT_INSTALL TRUE)
set(CPACK_COMPONENTS_ALL cli controlplane agent)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS TRUE)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)

set(CPACK_DEBIAN_CLI_PACKAGE_NAME fairlead)
set(CPACK_DEBIAN_CLI_PACKAGE_DEPENDS "libcurl4")
set(CPACK_COMPONENT_CLI_DESCRIPTION "batch and AI work over many clusters: the command line
 Submits jobs to a Fairlead control plane, follows them and shows why they wait. With completion for shells, manual pages and the
 documents.")

set(CPACK_DEBIAN_CONTROLPLANE_PACKAGE_NAME fairlead-controlplane)
set(CPACK_DEBIAN_CONTROLPLANE_PACKAGE_DEPENDS "libwebsockets-evlib-ev")
set(CPACK_DEBIAN_CONTROLPLANE_PACKAGE_RECOMMENDS "fairlead, libnss-systemd, postgresql-client")
set(CPACK_DEBIAN_CONTROLPLANE_PACKAGE_SUGGESTS "postgresql (>= 15)")
set(CPACK_COMPONENT_CONTROLPLANE_DESCRIPTION "batch and AI work over many clusters: the control plane
 Accepts jobs by its REST API, decides which cluster runs them, and keeps their output. Its state is in Postgres 15 or newer.")

set(CPACK_DEBIAN_AGENT_PACKAGE_NAME fairlead-agent)
set(CPACK_DEBIAN_AGENT_PACKAGE_RECOMMENDS "fairlead")
set(CPACK_DEBIAN_AGENT_PACKAGE_DEPENDS "libcurl4, libwebsockets-evlib-ev, passwd")
set(CPACK_COMPONENT_AGENT_DESCRIPTION "batch and AI work over many clusters: the agent of a cluster
 Dials out to a Fairlead control plane and runs what that wants here, as processes of this host or as pods of a Kubernetes cluster.")

foreach(component controlplane agent)
    string(TOUPPER ${component} upper)
    set(scripts conffiles postinst prerm postrm)
    list(TRANSFORM scripts PREPEND ${CMAKE_CURRENT_LIST_DIR}/${component}/)
    set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${scripts})
endforeach()
include(CPack)
add_custom_target(packages COMMAND ${CMAKE_CPACK_COMMAND} -G DEB DEPENDS programs made VERBATIM)
