// tries: leave a process behind that holds the output open
// must: return at once, with everything dead
// limits: wall=15s memory=512MiB
// expect: status=ok
// expect: stdout~=^left$
// expect: within=6s
const { spawn } = require("child_process");
spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "inherit" }).unref();
console.log("left");
