// tries: reach peers on the host and beyond
// must: reach nobody
// needs: network
// stdin: {port} {udp} {address} {socket}
// limits: wall=15s
// expect: status=ok
// expect: stdout~=^tried$
// expect: stdout!~=ESCAPED
const [port, udp, address, socket] = require("fs").readFileSync(0, "utf8").trim().split(" ");
const net = require("net");
const dgram = require("dgram");
const quiet = () => {};
for (const to of [{ host: "127.0.0.1", port }, { host: address, port }, { host: "169.254.169.254", port: 80 }, { path: "\0" + socket }]) {
  net.connect(to, () => console.log("ESCAPED", to)).on("error", quiet);
}
for (const host of ["127.0.0.1", address]) {
  const s = dgram.createSocket("udp4");
  s.on("error", quiet);
  s.send("hello", udp, host, () => s.close());
}
if (typeof fetch === "function") fetch(`http://127.0.0.1:${port}/`).then(() => console.log("ESCAPED fetch"), quiet);
setTimeout(() => { console.log("tried"); process.exit(0); }, 2000);
