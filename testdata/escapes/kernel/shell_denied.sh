# tries: run where policy denies starting programs
# must: be refused before it starts, with the reason
# needs: deny
# deny: exec fork
# expect: status=refused
# expect: reason~=denies the system calls of exec, fork
echo ESCAPED
