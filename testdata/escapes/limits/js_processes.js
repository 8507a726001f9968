// tries: start itself again and again, and leave all of them behind
// must: be refused more than the limit; all are dead at the end
// needs: processes
// limits: processes=40 wall=30s cpu=30s memory=512MiB
// expect: status=process_limit|memory_limit
// expect: hits~=processes
const { spawn } = require("child_process");
let failed = 0;
for (let i = 0; i < 60; i++) {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "inherit" });
  child.on("error", () => failed++);
  child.on("exit", () => failed++);
  child.unref();
}
setTimeout(() => process.exit(failed > 0 ? 3 : 0), 4000);
