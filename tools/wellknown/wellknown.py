"""Print the names of well-known packages, by ecosystem, out of Debian's archive.

A package that Debian carries is known; one on which at least three other packages of
the archive rest is well known. Names on PyPI come from dh-python's table
(/usr/share/dh-python/dist/cpython3_fallback); the names under which modules are
imported from Debian's Python policy (python3-NAME holds module NAME); names on npm
from the archive's own (node-NAME, where "-" may stand for "/" in a scope).

usage: wellknown.py python|npm < `apt-cache dumpavail`
"""

import collections
import re
import subprocess
import sys

WELL_KNOWN = 3


def rests():
    """Count how many packages rest on each."""
    count = collections.Counter()
    names = set()
    for stanza in sys.stdin.read().split("\n\n"):
        name = re.search(r"^Package: (\S+)", stanza, re.M)
        if not name:
            continue
        names.add(name.group(1))
        needs = set()
        for field in ("Depends", "Recommends"):
            line = re.search(rf"^{field}: (.*)", stanza, re.M)
            if line:
                needs |= set(re.split(r"[ ,|(:]+", line.group(1)))
        count.update(needs)
    return names, count


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def python(names, count):
    known = {}
    with open("/usr/share/dh-python/dist/cpython3_fallback", encoding="utf-8") as table:
        for line in table:
            dist, package = line.split()[:2]
            known[normal(dist)] = count[package]
    for name in names:
        if name.startswith("python3-"):
            module = normal(name.removeprefix("python3-"))
            known[module] = max(known.get(module, 0), count[name])
    return known


def npm(names, count):
    known = {}
    for name in names:
        if name.startswith("node-"):
            known[name.removeprefix("node-")] = count[name]
    return known


def main():
    ecosystem = sys.argv[1]
    names, count = rests()
    known = {"python": python, "npm": npm}[ecosystem](names, count)
    release = subprocess.run(["lsb_release", "-ds"], capture_output=True, text=True, check=False).stdout.strip() or "Debian"
    date = subprocess.run(["date", "-u", "+%Y-%m-%d"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"# Names of packages ({ecosystem}); a star marks the well-known ones. Made by tools/wellknown from the")
    print(f"# archive of {release}, {date}.")
    for name in sorted(known):
        if re.fullmatch(r"[a-z0-9][a-z0-9.-]+", name):
            print(name + ("*" if known[name] >= WELL_KNOWN else ""))


main()
