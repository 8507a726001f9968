'use strict';
// Runs the text of a program as its file would run: as a CommonJS module or as
// an ES module. It is node's main script; its arguments are the path of the
// text and the program's name.
//
// The text is read once, from a file that nobody can change. Its file name is
// one in the working directory, so that relative names mean what they say; no
// such file is opened.

const fs = require('fs');
const vm = require('vm');
const { Module, createRequire, isBuiltin } = require('module');
const path = require('path');
const { pathToFileURL } = require('url');

const source = fs.readFileSync(process.argv[2], 'utf8');
const file = path.join(process.cwd(), process.argv[3]);
const url = pathToFileURL(file);
const load = createRequire(file);
process.argv.splice(1, 3, file);

function resolve(name) {
  if (isBuiltin(name) || /^(node|data|file):/.test(name)) return name;
  if (/^\.{0,2}\//.test(name)) return new URL(name, url).href;
  return pathToFileURL(load.resolve(name)).href;
}

// Node's own words about what it calls experimental would be noise on the
// program's standard error.
function quietly(act) {
  const warn = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return act();
  } finally {
    process.emitWarning = warn;
  }
}

// importing serves import(): its attributes go on as they came.
function importing(name, _, attributes) {
  return attributes && Object.keys(attributes).length ? import(resolve(name), { with: attributes }) : import(resolve(name));
}

// This module becomes the program's, so that require.main is what it expects.
function becomeMain() {
  delete require.cache[__filename];
  Object.assign(module, { filename: file, path: path.dirname(file), exports: {}, children: [] });
  module.paths = Module._nodeModulePaths(module.path);
  load.cache[file] = module;
}

function commonJS() {
  const names = ['exports', 'require', 'module', '__filename', '__dirname'];
  return quietly(() => vm.compileFunction(source, names, { filename: file, importModuleDynamically: importing }));
}

function esModule() {
  return quietly(() => new vm.SourceTextModule(source, {
    identifier: url.href,
    importModuleDynamically: importing,
    initializeImportMeta(meta) {
      Object.assign(meta, { url: url.href, filename: file, dirname: path.dirname(file) });
      meta.resolve = (name) => resolve(name);
    },
  }));
}

async function link(name, _, extra) {
  const attributes = extra && (extra.attributes || extra.assert);
  const found = await importing(name, null, attributes);
  const keys = Object.keys(found);
  return quietly(() => new vm.SyntheticModule(keys, function () {
    for (const key of keys) this.setExport(key, found[key]);
  }, { identifier: name }));
}

async function evaluate(main) {
  // Where nothing can settle what a module waits for, node ends with 13.
  let settled = false;
  process.on('exit', () => { if (!settled && !process.exitCode) process.exitCode = 13; });
  await main.link(link);
  try {
    await main.evaluate();
  } finally {
    settled = true;
  }
}

// A text with import or export statements, or with await outside a function,
// can only be an ES module; any other is a script.
function compile() {
  try {
    return commonJS();
  } catch (error) {
    try {
      return esModule();
    } catch {
      throw error;
    }
  }
}

function run() {
  const main = compile();
  if (typeof main === 'function') {
    return Reflect.apply(main, module.exports, [module.exports, load, module, file, module.path]);
  }
  // A module has none of these; programs that were written for either do.
  Object.assign(globalThis, { require: load, module, exports: module.exports, __filename: file, __dirname: module.path });
  return evaluate(main);
}

// What is printed is out before the next statement: a program that ends itself,
// or is ended, loses nothing, and one that never yields does not keep it all.
// Node alone does not do that: a box's pipe takes parts of what is written to
// it, and the rest waits for the program to yield.
function writeAtOnce(stream) {
  if (!stream._handle || !stream._handle.setBlocking) return; // a file is written at once
  const { writeSync } = fs;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  stream._handle.setBlocking(true);
  stream._writev = null;
  stream._write = (data, encoding, done) => {
    const bytes = typeof data === 'string' ? Buffer.from(data, encoding) : data;
    for (let at = 0; at < bytes.length;) {
      try {
        at += writeSync(stream.fd, bytes, at);
      } catch (error) {
        if (error.code !== 'EAGAIN') return done(error);
        Atomics.wait(pause, 0, 0, 2); // a child that shares it made it so
      }
    }
    done();
  };
}

// Node itself goes by the proxy's variables from 22.21 and 24.5 on, where
// NODE_USE_ENV_PROXY is set.
function knowsProxies() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);
}

if (process.env.HTTPS_PROXY && !knowsProxies()) require('./exit.cjs');
writeAtOnce(process.stdout);
writeAtOnce(process.stderr);
becomeMain();
run();
