// tries: keep more files open than the limit
// must: be refused
// needs: files
// limits: files=48
// expect: status=files_limit
// expect: hits=files
const fs = require("fs");
for (;;) fs.openSync("/dev/null");
