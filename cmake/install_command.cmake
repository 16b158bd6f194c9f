# SPDX-License-Identifier: Apache-2.0
# The command, its man page and its completion scripts for bash and zsh, which the command itself writes when it is
# installed: cmake --install BUILD, or with --component command to install only these. Skipped if it is not built.

install(TARGETS plumb_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command OPTIONAL)
set(plumb_written ${PROJECT_BINARY_DIR}/written_by_command)
set(plumb_writing "file(REMOVE_RECURSE \"${plumb_written}\")\n"
                  "if(EXISTS \"$<TARGET_FILE:plumb_command>\")\n"
                  "  file(MAKE_DIRECTORY \"${plumb_written}\")\n")
foreach(page IN ITEMS "manual>plumb.1" "completion bash>plumb" "completion zsh>_plumb")
  string(REPLACE ">" ";" page ${page})
  list(GET page 0 words)
  list(GET page 1 file)
  string(APPEND plumb_writing "  execute_process(COMMAND \"$<TARGET_FILE:plumb_command>\" ${words} "
                              "OUTPUT_FILE \"${plumb_written}/${file}\" COMMAND_ERROR_IS_FATAL ANY)\n")
endforeach()
string(JOIN "" plumb_writing ${plumb_writing} "endif()\n")
install(CODE "${plumb_writing}" COMPONENT command)
install(FILES ${plumb_written}/plumb.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command OPTIONAL)
install(FILES ${plumb_written}/plumb DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        COMPONENT command OPTIONAL)
install(FILES ${plumb_written}/_plumb DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
        COMPONENT command OPTIONAL)
