import os
import shlex
import subprocess as sp
import sys
from subprocess import run

from flask import Flask, request

app = Flask(__name__)


def ask():
    name = input("name? ")
    # ruleid: python-command-from-input, python-shell-command-from-parts
    os.system("ping -c 1 " + name)
    # ok: python-command-from-input
    sp.run(["ping", "-c", "1", name])
    # ok: python-command-from-input
    sp.run("ping " + shlex.quote(name), shell=False)
    # ruleid: python-shell-command-from-parts
    sp.run("ping " + shlex.quote(name), shell=True)


def argument():
    command = sys.argv[1]
    for _ in range(3):
        # ruleid: python-command-from-input
        run(command, check=True, shell=True)
    # ok: python-command-from-input, python-shell-command-from-parts
    run("ls -l " + "/tmp", shell=True)


@app.route("/ping/<host>")
def ping(host):
    parts = ["ping"]
    parts.append(host)
    line = " ".join(parts)
    # ruleid: python-command-from-input
    return os.popen(line).read()


@app.get("/list")
def listing():
    folder = request.args.get("folder", "/")
    # ruleid: python-command-from-input, python-shell-command-from-parts
    sp.check_output(f"ls {folder}", shell=True)
    depth = int(request.args["depth"])
    # ok: python-command-from-input
    sp.check_output(["find", "-maxdepth", str(depth)])
    return ""


def fixed():
    base = "git"
    # ok: python-shell-command-from-parts
    os.system(base + " status")
    # ok: python-shell-command-from-parts
    os.system("date")


def view(request):
    host = request.POST.get("host")
    # ruleid: python-command-from-input
    sp.run([host, "-v"])
    # ruleid: python-command-from-input
    sp.call(["/bin/sh", "-c", "ping " + host])
    # ok: python-command-from-input
    sp.call(["ping", host])


def handler(event, context):
    # ruleid: python-command-from-input
    os.execl(event["program"], "x")
    # ok: python-command-from-input
    os.execl("/bin/ls", "ls", event["folder"])


def main():
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    args = parser.parse_args()
    # ruleid: python-command-from-input
    os.system(args.command)
    # ok: python-command-from-input
    print(args.command)
