import ast
import base64
import sys
import urllib.request

import requests
from flask import render_template_string, request


def run():
    # ruleid: python-code-from-outside
    print(eval(input("> ")))
    # ok: python-code-from-outside
    print(ast.literal_eval(input("> ")))
    # ok: python-code-from-outside
    print(eval("1 + 1"))
    # ok: python-code-from-outside
    print(eval("abc"[int(input())]))
    page = urllib.request.urlopen("https://example.com/x.py").read()
    text = page.decode()
    if text:
        # ruleid: python-code-from-outside
        exec(text)
    # ruleid: python-code-from-outside
    exec(compile(base64.b64decode("cHJpbnQoMSk="), "x", "exec"))
    # ruleid: python-code-from-outside
    exec(requests.get("https://example.com/y").text, {})
    # ruleid: python-code-from-outside
    eval(sys.argv[1])


def page():
    name = request.args.get("name", "")
    # ruleid: python-template-from-request
    a = render_template_string("<h1>" + name + "</h1>")
    # ok: python-template-from-request
    b = render_template_string("<h1>{{ name }}</h1>", name=name)
    return a + b


def handler(event, context):
    # ruleid: python-code-from-outside
    exec("x = {}".format(event["x"]))
    # ok: python-code-from-outside
    return {"x": event["x"]}
