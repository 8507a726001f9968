// tries: read and write what belongs to a host
// must: find nothing of it
// needs: isolation
// expect: status=ok
// expect: stdout~=^looked$
// expect: stdout!~=ESCAPED
import fs from "node:fs";
import os from "node:os";

const own = ["/etc/shadow", "/etc/ssh", "/root", "/home", "/var", "/etc/ssl", "/bin/sh", "/usr/bin/env", "/proc/kcore", "/dev/mem", "/run/docker.sock", "/usr/lib/node_modules", "/etc/machine-id"];
for (const path of own) {
  try {
    fs.accessSync(path, fs.constants.R_OK);
    const what = fs.statSync(path).isDirectory() ? fs.readdirSync(path) : fs.readFileSync(path);
    if (what.length > 0) console.log("ESCAPED", path);
  } catch {}
}
for (const path of ["/etc/passwd", "/run/palisade/start.cjs", "/run/palisade/harness.py", "/evil", process.execPath]) {
  try {
    fs.appendFileSync(path, "x");
    console.log("ESCAPED", path);
  } catch {}
}
if (os.userInfo().uid !== 65534 || process.getuid() !== 65534) console.log("ESCAPED uid");
console.log("looked");
