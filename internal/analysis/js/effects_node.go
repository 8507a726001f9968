package js

// nodeEffects says what Node.js's own modules and globals do to the world when
// they are called. A line is
//
//	module: names = effect(argument)… [-> what the result is]
//
// A name with "!" is a use already where it is named. Arguments count from 0.
// Source: the documentation of Node.js 20, section by section; for process also
// "Process internals" in its source, lib/internal/bootstrap/node.js.
const nodeEffects = `
fs: readFile createReadStream readdir opendir readlink stat lstat statfs access exists realpath watch watchFile glob openAsBlob = read(0)
fs: writeFile appendFile createWriteStream mkdir mkdtemp chmod lchmod chown lchown utimes lutimes truncate = write(0)
fs: rm rmdir unlink = delete(0)
fs: rename = delete(0) write(1)
fs: copyFile cp = read(0) write(1)
fs: link symlink = read(0) write(1)
fs: open = open(0)
fs: ReadStream = read(0)
fs: WriteStream = write(0)
child_process: exec execSync = shell(0)
child_process: execFile execFileSync spawn spawnSync = run(0)
child_process: ChildProcess -> child_process.ChildProcess
child_process.ChildProcess: spawn = process
child_process: fork = runfile(0) node(0)
cluster: fork = thread process
cluster: setupPrimary setupMaster = thread node()
worker_threads: Worker = worker(0)
worker_threads: !receiveMessageOnPort = none
Worker: = worker(0)
http: request get = net(0)
https: request get = net(0)
http: createServer Server -> http.Server
https: createServer Server -> http.Server
http2: createServer createSecureServer -> http.Server
http.Server: listen = listen(0)
http2: connect = net(0)
http: ClientRequest = net(0)
http: Agent -> http.Agent
https: Agent -> http.Agent
http.Agent: createConnection = port(0)
net: connect createConnection = port(0)
net: Socket -> net.Socket
net.Socket: connect = port(0)
net: createServer Server -> http.Server
tls: connect = port(0)
tls: createServer Server -> http.Server
dgram: createSocket Socket -> dgram.Socket
dgram.Socket: send connect = peer()
dgram.Socket: bind = listen(0)
dns: lookup resolve resolve4 resolve6 resolveAny resolveCaa resolveCname resolveMx resolveNaptr resolveNs resolvePtr resolveSoa resolveSrv resolveTxt reverse lookupService = net(0)
dns: setServers = net(0)
dns: Resolver -> dns
fetch: = net(0)
WebSocket: = net(0)
EventSource: = net(0)
XMLHttpRequest: -> XMLHttpRequest()
XMLHttpRequest(): open = net(1)
Request: = net(0)
navigator: sendBeacon = net(0)
os: userInfo hostname networkInterfaces cpus loadavg freemem totalmem uptime version release machine = sys
os: setPriority = sys
process: kill = kill(0)
process: abort = exit
process: reallyExit = exit
process: exit = exit
process: chdir = read(0)
process: setuid setgid seteuid setegid setgroups initgroups = privilege(0)
process: umask = none
process: !binding !_linkedBinding !dlopen !internalBinding = native(0)
process: !getBuiltinModule !_debugProcess !_debugEnd !_startProfilerIdleNotifier !moduleLoadList !_getActiveHandles !_getActiveRequests !_rawDebug !_tickCallback !_kill !_preload_modules !_events !openStdin = introspect
process: setUncaughtExceptionCaptureCallback = introspect
process: execve = run(0)
process: loadEnvFile = read(0) env(0)
process.report: writeReport = write(0) sys
process.report: getReport = sys
process.permission: !drop = introspect
vm: runInThisContext runInNewContext runInContext compileFunction = eval(0)
vm: Script SourceTextModule = eval(0)
module: !_load !_resolveFilename !_extensions !_cache !_pathCache !_findPath !_preloadModules !_initPaths !globalPaths !wrap !wrapper !runMain !_compile = introspect
module.prototype: !_compile !load !require = introspect
module: register = importpath(0) runfile(0)
module: registerHooks = importpath(0)
test: run = tests(0)
module!: !_compile !load !paths !children = introspect
require: !cache !extensions = introspect
inspector: Session open url waitForDebugger = introspect
repl: start REPLServer = eval()
v8: setFlagsFromString = native(0)
v8: startupSnapshot writeHeapSnapshot takeCoverage = write(0)
v8: deserialize Deserializer = deserialize
wasi: WASI = native()
WebAssembly: instantiate compile Module Instance instantiateStreaming compileStreaming = native()
sqlite: DatabaseSync = file(0) -> sqlite.DatabaseSync
sqlite.DatabaseSync: exec prepare = sql(0,sqlite)
sqlite.DatabaseSync: loadExtension = native(0)
trace_events: createTracing = sys
async_hooks: createHook executionAsyncResource = none
perf_hooks: monitorEventLoopDelay = none
crypto: setEngine = native(0)
tty: ReadStream WriteStream = none
eval: ! = eval(0)
Function: = function()
AsyncFunction: = function()
(Function): ! = walk()
(constructor): = maybe()
(caller): ! = introspect
Error: !prepareStackTrace = introspect
Deno: ! = introspect
Bun: ! = introspect
navigator: serviceWorker = none
internalBinding: ! = native(0)
primordials: ! = introspect
`

// packageEffects says the same of packages that programs often use. Source:
// each package's own README.
const packageEffects = `
pkg:axios: = net(0)
pkg:axios: get post put patch delete head options request postForm putForm = net(0)
pkg:axios: create -> pkg:axios
pkg:node-fetch: default = net(0)
pkg:node-fetch: = net(0)
pkg:undici: fetch request stream pipeline = net(0)
pkg:undici: Client Pool Agent = net(0)
pkg:got: = net(0)
pkg:got: get post put patch delete head stream extend = net(0)
pkg:request: = net(0)
pkg:request: get post put patch delete head = net(0)
pkg:superagent: get post put patch delete head = net(0)
pkg:needle: get post put request = net(1)
pkg:ky: = net(0)
pkg:ky: get post put patch delete head = net(0)
pkg:ws: = net(0)
pkg:ws: WebSocket = net(0)
pkg:ws: Server WebSocketServer = listen(0)
pkg:socket.io-client: io connect = net(0)
pkg:express(): listen = listen(0)
pkg:fastify(): listen = listen(0)
pkg:koa(): listen = listen(0)
pkg:nodemailer: createTransport = net(0)
pkg:puppeteer: launch connect = run()
pkg:playwright: launch = run()
pkg:ssh2: Client = net()
pkg:mongodb: MongoClient connect = net(0)
pkg:mongoose: connect createConnection = net(0)
pkg:redis: createClient = net(0)
pkg:ioredis: = net(0)
pkg:pg: Client Pool = net(0) -> pkg:pg()
pkg:pg(): query = sql(0,postgresql)
pkg:mysql: createConnection createPool = net(0) -> pkg:mysql()
pkg:mysql(): query execute = sql(0,mysql)
pkg:mysql2: createConnection createPool = net(0) -> pkg:mysql2()
pkg:mysql2(): query execute = sql(0,mysql)
pkg:mysql2/promise: createConnection createPool = net(0) -> pkg:mysql2()
pkg:mariadb: createConnection createPool = net(0) -> pkg:mariadb()
pkg:mariadb(): query execute batch = sql(0,mysql)
pkg:better-sqlite3: = file(0) -> pkg:better-sqlite3()
pkg:better-sqlite3(): exec prepare = sql(0,sqlite)
pkg:better-sqlite3(): loadExtension = native(0)
pkg:sqlite3: Database = file(0) -> pkg:sqlite3()
pkg:sqlite3: verbose -> pkg:sqlite3
pkg:sqlite3(): run get all each exec prepare = sql(0,sqlite)
pkg:sqlite3(): loadExtension = native(0)
pkg:sqlite: open = file() -> pkg:sqlite()
pkg:sqlite(): run get all each exec prepare = sql(0,sqlite)
pkg:sequelize: Sequelize = net(0) -> pkg:sequelize()
pkg:sequelize(): query = sql(0,)
pkg:knex: = net() -> pkg:knex()
pkg:knex(): raw = sql(0,)
pkg:@prisma/client: PrismaClient = net() -> pkg:@prisma/client()
pkg:@prisma/client(): $queryRawUnsafe $executeRawUnsafe $queryRaw $executeRaw = sql(0,)
pkg:execa: execa execaSync execFile = run(0)
pkg:execa: execaCommand execaCommandSync command = shell(0)
pkg:execa: = run(0)
pkg:execa: $ = shell(0)
pkg:zx: $ = shell(0)
pkg:cross-spawn: = run(0)
pkg:cross-spawn: sync spawn = run(0)
pkg:shelljs: exec = shell(0)
pkg:shelljs: rm = delete(0) delete(1)
pkg:shelljs: cat ls find test head tail grep sort = read(0) read(1)
pkg:shelljs: cp = read(0) write(1)
pkg:shelljs: mv = delete(0) write(1)
pkg:shelljs: mkdir touch chmod ln sed = write(0) write(1)
pkg:rimraf: rimraf sync rimrafSync = delete(0)
pkg:rimraf: = delete(0)
pkg:del: deleteAsync deleteSync = delete(0)
pkg:mkdirp: mkdirp sync = write(0)
pkg:glob: glob globSync sync = read(0)
pkg:globby: globby globbySync sync = read(0)
pkg:fast-glob: sync async = read(0)
pkg:dotenv: config = read() env()
pkg:node-pty: spawn = run(0)
pkg:node-gyp-build: = native(0)
pkg:bindings: = native(0)
pkg:ffi-napi: Library = native(0)
pkg:koffi: load = native(0)
pkg:keytar: ! = secret
pkg:vm2: VM NodeVM VMScript = eval(0)
pkg:isolated-vm: ! = eval(0)
pkg:node-serialize: unserialize = deserialize
pkg:serialize-to-js: deserialize = deserialize
pkg:js-yaml: loadAll = none
pkg:npm: ! = install
pkg:pacote: extract tarball manifest = install
`
