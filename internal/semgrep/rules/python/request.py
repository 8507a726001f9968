import socket
import urllib.request
from urllib.parse import quote

import requests
from flask import Flask, request

app = Flask(__name__)


@app.route("/fetch")
def fetch():
    url = request.args["url"]
    # ruleid: python-request-to-given-address
    page = requests.get(url, timeout=5)
    # ruleid: python-request-to-given-address
    urllib.request.urlopen("http://" + url)
    # ok: python-request-to-given-address
    requests.get("https://api.example.com/items", params={"q": url})
    # ok: python-request-to-given-address
    requests.get("https://api.example.com/" + quote(request.args["id"]))
    return page.text


@app.route("/check/<host>")
def check(host):
    try:
        # ruleid: python-request-to-given-address
        socket.create_connection((host, 80))
    except OSError:
        return "down"
    return "up"


def role():
    # ruleid: python-metadata-service
    base = "http://169.254.169.254/latest/meta-data/"
    # ruleid: python-metadata-service
    return requests.get(base + "iam/security-credentials/")


def local():
    # ok: python-metadata-service
    return requests.get("http://169.254.1.1/")
