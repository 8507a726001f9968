import asyncio
import socket

import uvicorn
from http.server import HTTPServer, SimpleHTTPRequestHandler


def call():
    s = socket.socket()
    # ruleid: python-hardcoded-address
    s.connect(("45.33.32.156", 4444))
    # ok: python-hardcoded-address
    s.connect(("127.0.0.1", 4444))
    # ok: python-hardcoded-address
    s.connect(("example.com", 443))
    # ok: python-hardcoded-address
    s.connect(("192.168.1.7", 80))
    peer = "8.8.4.4"
    # ruleid: python-hardcoded-address
    socket.create_connection((peer, 53), timeout=3)
    # ruleid: python-hardcoded-address
    return asyncio.open_connection("1.2.3.4", 80)


def listen(app):
    s = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # ruleid: python-listens-everywhere
    s.bind(("0.0.0.0", 8080))
    # ruleid: python-listens-everywhere
    s.bind(("", 8080))
    # ok: python-listens-everywhere
    s.bind(("127.0.0.1", 8080))
    # ruleid: python-listens-everywhere
    HTTPServer(("0.0.0.0", 80), SimpleHTTPRequestHandler).serve_forever()
    # ruleid: python-listens-everywhere
    uvicorn.run(app, host="0.0.0.0", port=80)
    # ok: python-listens-everywhere
    uvicorn.run(app, host="localhost")
