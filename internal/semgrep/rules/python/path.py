import http.server
import os
import shutil
import tarfile

from flask import Flask, request, send_file
from werkzeug.utils import secure_filename

app = Flask(__name__)


@app.route("/file/<path:name>")
def file(name):
    # ruleid: python-path-from-request
    with open("/srv/files/" + name) as f:
        return f.read()


@app.route("/download")
def download():
    name = request.args.get("name")
    path = os.path.join("/srv/files", name)
    # ruleid: python-path-from-request
    return send_file(path)


@app.route("/upload", methods=["POST"])
def upload():
    upload = request.files["file"]
    name = secure_filename(upload.filename)
    # ok: python-path-from-request
    with open(os.path.join("/srv/files", name), "wb") as f:
        f.write(upload.read())
    return "ok"


@app.delete("/file")
def delete():
    if request.method != "DELETE":
        return "no"
    name = os.path.basename(request.form["name"])
    # ok: python-path-from-request
    os.remove("/srv/files/" + name)
    # ruleid: python-path-from-request
    os.remove("/srv/files/" + request.form["name"])
    return "ok"


def local(name):
    # ok: python-path-from-request
    return open(name).read()


def unpack(archive):
    # ruleid: python-archive-unpacked-anywhere
    with tarfile.open(archive) as tar:
        tar.extractall("/srv")
    # ok: python-archive-unpacked-anywhere
    with tarfile.open(archive) as tar:
        tar.extractall("/srv", filter="data")
    # ruleid: python-archive-unpacked-anywhere
    t = tarfile.open(archive)
    t.extractall()
    # ruleid: python-archive-unpacked-anywhere
    shutil.unpack_archive(archive, "/srv")


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        # ruleid: python-path-from-request
        with open("/srv" + self.path) as f:
            self.wfile.write(f.read())
        # ok: python-path-from-request
        with open("/srv/index.html") as f:
            self.wfile.write(f.read())
