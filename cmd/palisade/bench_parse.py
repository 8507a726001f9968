"""Times ast.parse over files that are read beforehand. Talks JSON lines."""
import ast, json, os, sys, time, warnings

warnings.simplefilter("ignore")
folder = sys.argv[1] or os.path.dirname(os.__file__)
sources = {}
for root, dirs, names in sorted(os.walk(folder)):
    if "site-packages" in root or "dist-packages" in root:
        continue
    for name in sorted(names):
        path = os.path.join(root, name)
        if not name.endswith(".py") or not os.path.isfile(path):
            continue
        with open(path, "rb") as f:
            data = f.read()
        try:
            compile(data, path, "exec", dont_inherit=True)
        except Exception:
            continue
        sources[path] = data
print(json.dumps({"version": "%d.%d" % sys.version_info[:2], "files": list(sources)}), flush=True)
for line in sys.stdin:
    wanted = [sources[path] for path in json.loads(line)]
    start = time.perf_counter()
    for data in wanted:
        ast.parse(data)
    print(json.dumps({"seconds": time.perf_counter() - start}), flush=True)
