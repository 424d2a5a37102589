# SPDX-License-Identifier: BSD-3-Clause
# Kernel files: one source, two compilers.
#
#   ginet_add_kernel(target [CXX] [CPU_ONLY] kernel.cu [more.cu...])
#	Adds the kernels to the target: compiled as C (CXX: as C++) for CPU threads and,
#	when nvcc is there and CPU_ONLY is not given, also by nvcc for GPUs.
#   ginet_use_cuda(target)
#	CUDA runtime headers and the static runtime, so that programs start on machines
#	without a driver.
#
# Part of ginet's own build, and of the package that find_package(ginet) reads.
#
# In:  GINET_CUDA        AUTO: if nvcc works; ON: fail without it; OFF: never
#      GINET_CUDA_ARCHS  "all": every GPU from sm_75 on that nvcc knows, and PTX of the newest;
#                        or a list such as "80;90" for quick builds
# Out, in every directory, also of a project that adds ginet as a subdirectory:
#      GINET_HAVE_CUDA, GINET_CUDA_FLAGS, GINET_NVCC, GINET_CUDA_INCLUDE, GINET_CUDART, GINET_CUDA_ALL_ARCHS

set(GINET_CUDA AUTO CACHE STRING "Build the CUDA halves of kernels: ON, OFF or AUTO (if nvcc is there)")
set(GINET_CUDA_ARCHS all CACHE STRING "GPUs to build kernels for: all, or a list such as 80;90")
if(NOT GINET_INCLUDE_DIRS) # ginet's own tree, not as installed
	set(GINET_INCLUDE_DIRS ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_LIST_DIR}/../include)
endif()
set(GINET_KERNEL_INCLUDE_DIRS ${GINET_INCLUDE_DIRS} CACHE INTERNAL "")
set(GINET_NVCC_MIN 12.8) # fence.acquire in PTX 8.6

# Sets WHY_NOT in the caller when there is no nvcc that can be used.
function(ginet_find_cuda)
	set(WHY_NOT "" PARENT_SCOPE)
	if(DEFINED GINET_LIBRARY_CUDA AND NOT GINET_LIBRARY_CUDA)
		set(WHY_NOT "the ginet that is installed was built without CUDA" PARENT_SCOPE)
		return()
	endif()
	find_program(GINET_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
	if(NOT GINET_NVCC)
		set(WHY_NOT "nvcc is not in PATH, CUDA_HOME/bin or /usr/local/cuda/bin" PARENT_SCOPE)
		return()
	endif()
	execute_process(COMMAND ${GINET_NVCC} --version OUTPUT_VARIABLE text ERROR_QUIET)
	string(REGEX MATCH "release ([0-9.]+)" text "${text}")
	if(CMAKE_MATCH_1 VERSION_LESS GINET_NVCC_MIN)
		set(WHY_NOT "${GINET_NVCC} is '${CMAKE_MATCH_1}', at least ${GINET_NVCC_MIN} is needed" PARENT_SCOPE)
		return()
	endif()
	file(REAL_PATH ${GINET_NVCC} nvcc)
	cmake_path(GET nvcc PARENT_PATH bin)
	find_path(GINET_CUDA_INCLUDE cuda_runtime_api.h
		HINTS ${bin}/../include ${bin}/../targets/${CMAKE_SYSTEM_PROCESSOR}-linux/include)
	find_library(GINET_CUDART libcudart_static.a
		HINTS ${bin}/../lib64 ${bin}/../lib ${bin}/../targets/${CMAKE_SYSTEM_PROCESSOR}-linux/lib)
	if(NOT GINET_CUDA_INCLUDE OR NOT GINET_CUDART)
		set(WHY_NOT "cuda_runtime_api.h or libcudart_static.a not found beside ${GINET_NVCC}" PARENT_SCOPE)
		return()
	endif()
	if(NOT GINET_NVCC_WORKS STREQUAL GINET_NVCC) # a host compiler that nvcc refuses shows only here
		set(probe ${CMAKE_BINARY_DIR}/CMakeFiles/ginet_nvcc_probe)
		file(WRITE ${probe}.cu "__global__ void probe(void) {}\n")
		execute_process(COMMAND ${GINET_NVCC} -std=c++17 -c ${probe}.cu -o ${probe}.o
			RESULT_VARIABLE rc OUTPUT_VARIABLE text ERROR_VARIABLE text)
		if(rc)
			set(WHY_NOT "${GINET_NVCC} cannot compile an empty kernel:\n${text}" PARENT_SCOPE)
			return()
		endif()
		set(GINET_NVCC_WORKS ${GINET_NVCC} CACHE INTERNAL "nvcc that compiled an empty kernel")
	endif()
endfunction()

set(GINET_HAVE_CUDA FALSE CACHE INTERNAL "")
if(NOT GINET_CUDA STREQUAL "OFF")
	ginet_find_cuda()
	if(NOT WHY_NOT)
		set(GINET_HAVE_CUDA TRUE CACHE INTERNAL "")
	elseif(GINET_CUDA STREQUAL "ON")
		message(FATAL_ERROR "GINET_CUDA is ON, but ${WHY_NOT}")
	else()
		message(STATUS "Kernels for CPU threads only: ${WHY_NOT}")
	endif()
endif()

# GINET_CUDA_FLAGS: one -gencode for each GPU, and PTX of the newest for GPUs to come.
if(GINET_HAVE_CUDA)
	execute_process(COMMAND ${GINET_NVCC} --list-gpu-arch OUTPUT_VARIABLE text)
	string(REGEX MATCHALL "[0-9]+" GINET_CUDA_ALL_ARCHS "${text}")
	list(FILTER GINET_CUDA_ALL_ARCHS EXCLUDE REGEX "^([0-6].|7[0-4])$") # memory model of sm_70, sold as sm_75
	list(SORT GINET_CUDA_ALL_ARCHS COMPARE NATURAL)
	set(archs ${GINET_CUDA_ARCHS})
	if(archs STREQUAL "all")
		set(archs ${GINET_CUDA_ALL_ARCHS})
	endif()
	list(SORT archs COMPARE NATURAL)
	set(flags "")
	foreach(arch IN LISTS archs)
		if(NOT arch IN_LIST GINET_CUDA_ALL_ARCHS)
			message(FATAL_ERROR "GINET_CUDA_ARCHS: '${arch}' is not one of ${GINET_CUDA_ALL_ARCHS}")
		endif()
		list(APPEND flags -gencode arch=compute_${arch},code=sm_${arch})
	endforeach()
	list(GET archs -1 newest)
	list(APPEND flags -gencode arch=compute_${newest},code=compute_${newest})
	set(GINET_CUDA_FLAGS "${flags}" CACHE INTERNAL "")
	message(STATUS "Kernels for GPUs: ${archs} by ${GINET_NVCC}")
endif()

function(ginet_use_cuda target)
	target_include_directories(${target} SYSTEM PRIVATE ${GINET_CUDA_INCLUDE})
	target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${GINET_CUDART}> dl rt Threads::Threads)
endfunction()

# The CUDA half: an object with code for every GPU; its path in ${out}.
function(ginet_nvcc_object target file out)
	cmake_path(GET file FILENAME name)
	set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.kernels/${name}.cuda.o)
	set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
	set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
	set(werror "")
	if(GINET_WERROR)
		set(werror -Werror all-warnings)
	endif()
	# --threads: the GPUs of one file side by side
	add_custom_command(OUTPUT ${object}
		COMMAND ${GINET_NVCC} -x cu -std=c++17 -O3 -lineinfo --threads 2 ${GINET_CUDA_FLAGS} ${werror}
			-Xcompiler -Wall,-fPIC
			"$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
			"$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
			-MD -MF ${object}.d -c ${file} -o ${object}
		DEPENDS ${file} DEPFILE ${object}.d
		COMMENT "nvcc ${name} (${target})" VERBATIM COMMAND_EXPAND_LISTS)
	set(${out} ${object} PARENT_SCOPE)
endfunction()

function(ginet_add_kernel target)
	cmake_parse_arguments(PARSE_ARGV 1 arg "CXX;CPU_ONLY" "" "")
	if(NOT arg_UNPARSED_ARGUMENTS)
		message(FATAL_ERROR "ginet_add_kernel(${target} [CXX] [CPU_ONLY] kernel.cu...): no kernel file given")
	endif()
	set(language C)
	set(suffix c)
	if(arg_CXX)
		set(language CXX)
		set(suffix cpp)
		target_compile_features(${target} PRIVATE cxx_std_17) # as nvcc is told
	endif()
	get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
	if(NOT language IN_LIST languages)
		message(FATAL_ERROR "ginet_add_kernel(${target}): add ${language} to the languages in project()")
	endif()
	target_include_directories(${target} PRIVATE ${GINET_KERNEL_INCLUDE_DIRS})
	foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
		cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
		cmake_path(GET file FILENAME name)
		# A file that includes the kernel says the language by its own name: the same kernel can be
		# C in one target and C++ in another. Errors, gdb and __FILE__ still show kernel.cu.
		set(half ${CMAKE_CURRENT_BINARY_DIR}/${target}.kernels/${name}.${suffix})
		file(CONFIGURE OUTPUT ${half} CONTENT "#include \"${file}\"\n")
		target_sources(${target} PRIVATE ${half})
		if(GINET_HAVE_CUDA AND NOT arg_CPU_ONLY)
			set_source_files_properties(${half} PROPERTIES COMPILE_DEFINITIONS GIN_CUDA)
			ginet_nvcc_object(${target} ${file} object)
			target_sources(${target} PRIVATE ${object})
			# stdc++: nvcc's host code guards its static variables by it
			target_link_libraries(${target} PRIVATE ${GINET_CUDART} stdc++ dl rt Threads::Threads)
		endif()
	endforeach()
endfunction()
