# SPDX-License-Identifier: BSD-3-Clause
# Tools that who has an installed ginet needs. They lie in a folder of their own, as in the source tree and in a build:
# scripts find programs beside themselves, the samples their plugin by ../lib.
set(home ${CMAKE_INSTALL_LIBEXECDIR}/ginet)
set(tools ${PROJECT_SOURCE_DIR}/tools)
file(GLOB bench_parts CONFIGURE_DEPENDS ${tools}/bench/*.py)

install(PROGRAMS ${tools}/gpu-check ${tools}/ginet-bench DESTINATION ${home}/tools)
install(PROGRAMS ${tools}/gpucheck/bundle DESTINATION ${home}/tools/gpucheck)
install(TARGETS gpucheck DESTINATION ${home}/tools/gpucheck)
install(FILES ${bench_parts} DESTINATION ${home}/tools/bench)
install(TARGETS bench_stream DESTINATION ${home}/tools/bench)
install(TARGETS icmp_echo rx_count starter DESTINATION ${home}/samples)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${home})

# $1: name of a symbolic link, $2: where it leads; both below the prefix. It stays right when all is moved.
function(install_link name to)
	set(name ${CMAKE_INSTALL_PREFIX}/${name})
	cmake_path(GET name PARENT_PATH folder)
	file(RELATIVE_PATH to ${folder} ${CMAKE_INSTALL_PREFIX}/${to})
	cmake_path(RELATIVE_PATH name BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX})
	install(CODE "
		set(name \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${name}\")
		message(STATUS \"Installing: \${name} -> ${to}\")
		cmake_path(GET name PARENT_PATH folder)
		file(MAKE_DIRECTORY \${folder})
		file(CREATE_LINK ${to} \${name} SYMBOLIC)")
endfunction()
install_link(${home}/lib ${CMAKE_INSTALL_LIBDIR})
install_link(${CMAKE_INSTALL_BINDIR}/gpu-check ${home}/tools/gpu-check)
install_link(${CMAKE_INSTALL_BINDIR}/ginet-bench ${home}/tools/ginet-bench)
