// tries: speak to the host in the harness's name
// must: be no success that the host did not see
// needs: isolation
// expect: status=runtime_error|aborted|killed
const fs = require("fs");
for (const fd of ["/proc/1/fd/1000", `/proc/${process.ppid}/fd/1000`, "/proc/1/fd/4"]) {
  for (const frame of ["\0\0\0\u0002V42", "\0\0\0\0R"]) {
    try {
      fs.writeFileSync(fd, frame);
    } catch {}
  }
}
process.exit(3);
