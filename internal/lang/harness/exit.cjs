'use strict';
// Leads node's own clients through the box's proxy, where node does not do that
// by itself: fetch, and http and https with their global agents. Nothing here
// keeps anybody from anything: what is reached is decided outside.

const http = require('http');
const https = require('https');
const net = require('net');
const tls = require('tls');

const proxy = new URL(process.env.HTTPS_PROXY);
const at = { host: proxy.hostname, port: Number(proxy.port) };

const local = (host) => ['localhost', '127.0.0.1', '::1', '[::1]'].includes(host);

// tunnel opens a connection to a peer by CONNECT.
function tunnel(host, port, done) {
  const peer = `${net.isIPv6(host) ? `[${host}]` : host}:${port}`;
  const request = http.request({ ...at, agent: false, method: 'CONNECT', path: peer, headers: { host: peer } });
  request.once('connect', (response, socket) => {
    if (response.statusCode === 200) return done(null, socket);
    socket.destroy();
    done(Object.assign(new Error(response.statusMessage), { code: 'ECONNREFUSED' }));
  });
  request.once('error', done);
  request.end();
}

// secured is a tunnel with TLS in it.
function secured(options, done) {
  tunnel(options.host, options.port || 443, (error, socket) => {
    if (error) return done(error);
    const name = options.servername || options.host;
    done(null, tls.connect({ ...options, socket, servername: net.isIP(name) ? undefined : name }));
  });
}

// The global agent of http names the whole URL to the proxy (RFC 9112, section
// 3.2.2).
const { addRequest } = http.globalAgent;
http.globalAgent.addRequest = function (request, options, ...rest) {
  if (local(options.host) || options.socketPath) return addRequest.call(this, request, options, ...rest);
  if (request.path.startsWith('/')) request.path = `http://${request.getHeader('host')}${request.path}`;
  return addRequest.call(this, request, { ...options, ...at, path: null }, ...rest);
};

const direct = https.globalAgent.createConnection;
https.globalAgent.createConnection = function (options, done) {
  if (local(options.host) || options.socketPath) return direct.call(this, options, done);
  secured(options, done);
};

// fetch has a dispatcher of its own, which is made when it is first looked at.
const dispatcher = Symbol.for('undici.globalDispatcher.1');
if (globalThis.Response && globalThis[dispatcher]) {
  const Agent = globalThis[dispatcher].constructor;
  globalThis[dispatcher] = new Agent({
    connect({ hostname, port, protocol, servername }, done) {
      const host = hostname.replace(/^\[|\]$/g, '');
      if (local(hostname)) {
        const socket = protocol === 'https:' ? tls.connect({ host, port: port || 443 }) : net.connect({ host, port: port || 80 });
        socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => done(null, socket)).once('error', done);
      } else if (protocol !== 'https:') {
        tunnel(host, port || 80, done);
      } else {
        secured({ host, port: port || 443, servername, ALPNProtocols: ['http/1.1'] }, (error, socket) => {
          if (error) return done(error);
          socket.once('secureConnect', () => done(null, socket)).once('error', done);
        });
      }
    },
  });
}
