// tries: fill the disk
// must: be refused
// needs: disk
// limits: disk=4MiB
// expect: status=disk_limit
// expect: hits=disk
const fs = require("fs");
const fd = fs.openSync("big", "w");
for (;;) fs.writeSync(fd, Buffer.alloc(65536));
