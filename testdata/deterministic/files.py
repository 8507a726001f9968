import json
import os
import tempfile
import time
import zipfile
from pathlib import Path
with tempfile.TemporaryDirectory() as folder:
    print(folder)
for name in {"b", "a", "d", "c"}:
    Path(name + ".json").write_text(json.dumps({"name": name, "at": time.time()}))
print(os.listdir("."), [p.name for p in Path().glob("*.json")], [e.name for e in os.scandir(".")])
print(int(os.path.getmtime("a.json")), sorted(os.listdir(".")))
with zipfile.ZipFile("all.zip", "w") as z:
    for p in Path().glob("*.json"):
        z.write(p)
