"""Measures the processor time of bandit, and of ast.parse, over files. Talks JSON lines."""
import ast, json, logging, sys, time, warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
try:
    import bandit
    from bandit.core import config, manager
    version = getattr(bandit, "__version__", "")
except ImportError:
    version = None
print(json.dumps({"bandit": version}), flush=True)


def run_bandit(paths):
    m = manager.BanditManager(config.BanditConfig(), "file")
    m.files_list, m.progress = paths, len(paths)  # no progress on the terminal
    start = time.process_time()
    m.run_tests()
    return {"seconds": time.process_time() - start, "issues": len(m.results)}


def run_parse(paths):
    sources = []
    for path in paths:
        with open(path, "rb") as f:
            sources.append(f.read())
    start = time.process_time()
    for source in sources:
        ast.parse(source)
    return {"seconds": time.process_time() - start, "issues": 0}


for line in sys.stdin:
    request = json.loads(line)
    answer = run_bandit if request["what"] == "bandit" else run_parse
    print(json.dumps(answer(request["paths"])), flush=True)
