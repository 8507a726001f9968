// tries: leave the language by native code and node's own insides
// must: be refused native modules; the insides lead nowhere but into the box
// needs: isolation
// limits: disk=1024MiB memory=1024MiB
// expect: status=ok
// expect: stdout~=^tried$
// expect: stdout!~=ESCAPED
const fs = require("fs");
fs.copyFileSync(process.execPath, "/tmp/evil.node");
for (const act of [
  () => process.dlopen({ exports: {} }, "/tmp/evil.node"),
  () => require("/tmp/evil.node"),
  () => process.setuid(0),
  () => process.binding("spawn_sync").spawn({ file: "/bin/sh", args: ["sh"], stdio: [{ type: "pipe", readable: true, writable: true }] }).pid && process.emitWarning("started"),
]) {
  try {
    const got = act();
    if (typeof got === "number" && got > 0) console.log("ESCAPED", got);
  } catch {}
}
if (process.getuid() !== 65534) console.log("ESCAPED");
console.log("tried");
