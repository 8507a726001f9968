import debugpy
from flask import Flask
from werkzeug.serving import run_simple

app = Flask(__name__)
# ruleid: python-debug-server
app.config["DEBUG"] = True
# ok: python-debug-server
app.config["TESTING"] = True

if __name__ == "__main__":
    # ruleid: python-debug-server
    app.run(host="127.0.0.1", debug=True)
    # ok: python-debug-server
    app.run(debug=False)
    # ruleid: python-debug-server
    run_simple("localhost", 80, app, use_debugger=True)
    # ok: python-debug-server
    run_simple("localhost", 80, app)
    # ruleid: python-debug-server
    debugpy.listen(5678)
