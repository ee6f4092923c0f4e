# poet_source_groups(<prefix> <variable> <source>... [APART <source>...]...): sources that are compiled together
# (CMAKE_UNITY_BUILD) where a target's UNITY_BUILD_MODE is GROUP. What comes after APART is compiled apart from what stands
# before it, as both use a name in their unnamed namespaces. The sources alone go to the variable.
function(poet_source_groups prefix variable)
  set(group 0)
  set(sources "")
  foreach(source IN LISTS ARGN)
    if(source STREQUAL "APART")
      math(EXPR group "${group} + 1")
    else()
      list(APPEND sources ${source})
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${prefix}_${group})
    endif()
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()
