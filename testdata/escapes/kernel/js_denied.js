// tries: run where policy denies starting programs
// must: be refused before it starts, with the reason
// needs: deny
// deny: exec memfd
// expect: status=refused
// expect: reason~=denies the system calls of exec, memfd
console.log("ESCAPED");
